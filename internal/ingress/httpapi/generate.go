package httpapi

//go:generate go run ../../../tools/genapi openapi.yaml
