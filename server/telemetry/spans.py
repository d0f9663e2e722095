"""OpenTelemetry: sends the spans that the SDK creates for each request to a collector."""

from collections.abc import Callable

from server import SERVER_NAME, package_version
from server.errors import CallerError


def check_packages() -> None:
    """Check that spans can be sent.

    Raises:
        CallerError: the packages for spans are not installed.
    """
    try:
        import opentelemetry.exporter.otlp.proto.http.trace_exporter
        import opentelemetry.sdk.trace.export  # noqa: F401
    except ModuleNotFoundError as error:
        raise CallerError(
            f"--otel cannot be used because the package {error.name!r} is not installed; spans need optional packages; "
            "install them with: pip install 'agent-capabilities[otel]'"
        ) from error


def send_spans() -> Callable[[], None]:
    """Send spans over OTLP/HTTP from now on, as the standard OTEL_* environment variables configure.

    Without this the SDK's spans are discarded and cost next to nothing. A span contains method, tool, status and times;
    the span of an error also contains its message, which may repeat a name or an address from the client.

    Returns:
        A function that sends the remaining spans and stops. It runs by itself if the process exits normally.

    Raises:
        CallerError: the packages for spans are not installed.
    """
    check_packages()
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    own = Resource({"service.name": SERVER_NAME, "service.version": package_version()})
    # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override these.
    named = own.merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=Resource.create(dict(named.attributes)))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider.shutdown
