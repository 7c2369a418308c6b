package httpapi

//go:generate go run github.com/ogen-go/ogen/cmd/ogen@v1.25.0 -config ogen.yaml -target oas -package oas -clean openapi.yaml
