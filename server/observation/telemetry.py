"""OpenTelemetry: the spans that the SDK makes of each request, sent to a collector."""

from collections.abc import Callable

from server import package_version
from server.errors import CallerError
from server.manifest import SERVER_NAME


def check_packages() -> None:
    """Look whether spans can be sent.

    Raises:
        CallerError: the packages for it are not installed.
    """
    try:
        import opentelemetry.exporter.otlp.proto.http.trace_exporter
        import opentelemetry.sdk.trace.export  # noqa: F401
    except ModuleNotFoundError as error:
        raise CallerError(
            f"--otel cannot be used, as the package of {error.name!r} is not installed; spans are sent by packages of "
            "their own; install them with: pip install 'agent-capabilities[otel]'"
        ) from error


def send_spans() -> Callable[[], None]:
    """Send spans over OTLP/HTTP from now on, as the standard OTEL_* variables of the environment say.

    Without this the SDK's spans go nowhere and cost next to nothing. They hold methods, tools, statuses and times; a
    span of an error holds its message, which may repeat a name or an address that the client gave.

    Returns:
        Sends what was not sent yet, and no more after that; done by itself where the process ends in good order.

    Raises:
        CallerError: the packages for it are not installed.
    """
    check_packages()
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    own = Resource({"service.name": SERVER_NAME, "service.version": package_version()})
    # What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say comes first.
    named = own.merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=Resource.create(dict(named.attributes)))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider.shutdown
