// Package otlp sends spans to a collector: by the SDK of OpenTelemetry, over OTLP/HTTP (OpenTelemetry Protocol specification 1, "OTLP/HTTP"). It is
// linked into the service only.
//
// A span is worth nothing beside a call. Spans wait in a bounded queue, and what does not fit in is lost; a collector that is away, slow or wrong costs
// spans and no request. Variables of the environment (OTEL_...) change nothing but what the process is
// called (OTEL_RESOURCE_ATTRIBUTES): where spans go to is in its configuration.
package otlp
