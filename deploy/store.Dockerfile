# The server's image with the client of a store, postgres or milvus:
#   docker build --file deploy/store.Dockerfile --build-arg STORE=postgres --tag agent-capabilities-postgres deploy
ARG IMAGE=agent-capabilities
FROM ${IMAGE}
ARG STORE=postgres
USER 0:0
# The package is there already, so that pip only adds what the extra needs.
RUN python -m pip --python /app install --no-cache-dir --no-compile "agent-capabilities[${STORE}]" \
    && /app/bin/python -m compileall -q --invalidation-mode unchecked-hash /app/lib
USER 10001:10001
