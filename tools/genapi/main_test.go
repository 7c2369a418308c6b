package main

import "testing"

func TestTheCopyForTheGeneratorHasOneProblemAndNoSecurity(t *testing.T) {
	t.Parallel()
	const whole = `openapi: 3.1.0
security:
  - bearer: []
paths:
  /a:
    get:
      responses:
        "200": { $ref: "#/x" }
        "400": { $ref: "#/y" }
        "503": { $ref: "#/z" }
      x-problems:
        - { status: 400, code: a, when: "b" }
    post:
      responses:
        "202": { $ref: "#/x" }
        "401": { $ref: "#/y" }
components:
  securitySchemes:
    bearer:
      type: http
  schemas: {}
`
	const want = `openapi: 3.1.0
paths:
  /a:
    get:
      responses:
        "200": { $ref: "#/x" }
        default: { $ref: "#/components/responses/Problem" }
      x-problems:
        - { status: 400, code: a, when: "b" }
    post:
      responses:
        "202": { $ref: "#/x" }
        default: { $ref: "#/components/responses/Problem" }
components:
  schemas: {}
`
	if got := reduce(whole); got != want {
		t.Errorf("got\n%s", got)
	}
}
