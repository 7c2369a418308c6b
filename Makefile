# `make` alone lists the targets. `make test` needs Go and nothing else; the pinned tools are built once, from their
# sources, into .tools/.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS   += --no-print-directory

GOLANGCI_VERSION    := v2.15.0
GOVULNCHECK_VERSION := v1.9.0
CYCLONEDX_VERSION   := v1.10.0

GO       ?= go
BIN      := $(CURDIR)/.tools/bin
GOLANGCI := $(BIN)/golangci-lint
VULN     := $(BIN)/govulncheck
SBOM     := $(BIN)/cyclonedx-gomod

# Which packages, which tests, which benchmarks; how often and how long.
PKG       ?= ./...
RUN       ?=
BENCH     ?= .
BENCHTIME ?= 1s
COUNT     ?= 1
FUZZTIME  ?= 60s
NIGHT_COUNT ?= 5
WORLD_SEEDS ?= 20000
NIGHT_SEEDS ?= 2000
KILLS       ?= 320
SEED        ?= 1
NIGHT_KILLS ?= 20000

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- the gate ----

.PHONY: check
check: fmt-check vet lint verify mod sbom-diff ## everything but the tests: format, vet, lint, generated files, modules, the list of what is linked

.PHONY: fmt
fmt: $(GOLANGCI) ## format all Go files (gofumpt, gci)
	$(GOLANGCI) fmt

.PHONY: fmt-check
fmt-check: $(GOLANGCI)
	$(GOLANGCI) fmt --diff

.PHONY: vet
vet:
	$(GO) vet ./...
	$(GO) vet -tags=integration,lint ./...

.PHONY: lint
lint: $(GOLANGCI) ## run golangci-lint, then see it report every planted breach of our rules
	$(GOLANGCI) run
	$(GO) test -tags=lint ./tools/lintrules

.PHONY: generate
generate: ## write the generated files again
	$(GO) generate ./...

.PHONY: verify
verify: ## fail when generating changes anything
	tools/verify.sh

.PHONY: mod
mod:
	$(GO) mod verify
	$(GO) mod tidy -diff
	cd $(EXAMPLES) && $(GO) mod verify && $(GO) mod tidy -diff
	cd $(PEERS) && $(GO) mod verify && $(GO) mod tidy -diff

.PHONY: sbom
sbom: $(SBOM) ## write the list of what is linked into the binaries, deploy/sbom (CycloneDX)
	$(GO) run ./tools/sbom $(SBOM)

.PHONY: sbom-diff
sbom-diff: $(SBOM)
	$(GO) run ./tools/sbom -diff $(SBOM)

# ---- tests ----

# Started first, so that the longest do not run alone at the end.
LONGEST := ./internal/sim ./internal/cli

.PHONY: test
test: ## all tests that need only Go (PKG=, RUN=, COUNT=)
	$(GO) test -timeout=20m $(if $(RUN),-run='$(RUN)') $(if $(filter-out 1,$(COUNT)),-count=$(COUNT)) $(if $(filter ./...,$(PKG)),$(LONGEST)) $(PKG)

.PHONY: test-race
test-race: ## the same under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race $(if $(RUN),-run='$(RUN)') -count=$(COUNT) $(PKG)

.PHONY: model
model: ## explore the protocol in every state within bounds, and find every planted defect (docs/proof-model.md; STORIES=1 tells them, ONLY=, WIDER=0 to 2)
	$(GO) run ./internal/sim/model/cmd $(if $(WIDER),-wider=$(WIDER)) $(if $(STORIES),-stories) $(if $(ONLY),-only=$(ONLY))

.PHONY: test-integration
test-integration: ## tests with the tag integration (needs Python 3 and Node); a skipped test is a failure
	$(GO) build -o $(BIN)/noskip ./tools/noskip
	$(GO) test -tags=integration -count=1 -timeout=20m -p=3 -parallel=4 -json $$(tools/integration-packages.sh) | $(BIN)/noskip
	$(GO) test -tags=integration -count=1 -timeout=20m -run='InPostgreSQL' -json ./internal/call | $(BIN)/noskip
	$(MAKE) test-examples
	$(MAKE) test-peers
	$(MAKE) test-alerts

POSTGRES := 14 15 16 18

.PHONY: test-postgres
test-postgres: ## the ledger in PostgreSQL, on the versions that test-integration does not use (POSTGRES="14 15")
	$(GO) build -o $(BIN)/noskip ./tools/noskip
	for major in $(POSTGRES); do \
		RINGONCE_TEST_POSTGRES=$$major $(GO) test -tags=integration -count=1 -timeout=20m -json ./internal/ledger/postgres | $(BIN)/noskip || exit 1; \
	done

# A module of its own (docs/adr/0015), which alone compiles the clients of EC2 and others: about a minute, once.
EXAMPLES := examples/idempotency
WITH_TESTS := {{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}

.PHONY: test-examples
test-examples: $(GOLANGCI) ## vet, lint and test examples/idempotency (needs Python 3)
	$(GO) build -o $(BIN)/noskip ./tools/noskip
	cd $(EXAMPLES) && $(GO) vet -tags=integration ./...
	cd $(EXAMPLES) && $(GOLANGCI) run
	cd $(EXAMPLES) && $(GO) test -tags=integration -count=1 -timeout=10m -json $$($(GO) list -tags=integration -f '$(WITH_TESTS)' ./...) | $(BIN)/noskip

# Another module of its own: the peers that ringonce is measured beside are no dependency of it.
PEERS := bench/peers

.PHONY: test-peers
test-peers: $(GOLANGCI) ## vet, lint and test bench/peers (needs Python 3 and Node)
	$(GO) build -o $(BIN)/noskip ./tools/noskip
	cd $(PEERS) && $(GO) vet -tags=integration ./...
	cd $(PEERS) && $(GOLANGCI) run
	cd $(PEERS) && $(GO) test -tags=integration -count=1 -timeout=10m -json ./... | $(BIN)/noskip

# Another one: Prometheus itself, which says what the alert rules and the dashboard do.
ALERTS := deploy/prometheus/alerttest

.PHONY: test-alerts
test-alerts: $(GOLANGCI) ## vet, lint and test deploy/prometheus/alerttest: each alert fires when it should, and no other does
	$(GO) build -o $(BIN)/noskip ./tools/noskip
	cd $(ALERTS) && $(GO) vet ./...
	cd $(ALERTS) && $(GOLANGCI) run
	cd $(ALERTS) && $(GO) test -count=1 -timeout=10m -json ./... | $(BIN)/noskip

.PHONY: crash
crash: ## kill the process loop with SIGKILL on a real ledger, and count every ring (KILLS=, SEED=); docs/proof-crash.md
	RINGONCE_CRASH_KILLS=$(KILLS) RINGONCE_CRASH_SEED=$(SEED) $(GO) test -tags=integration -count=1 -timeout=4h -v -run='Killed' ./internal/crashtest

# The range that CI lives. docs/proof.md says which were lived beside it.
FULL_SEEDS ?= 1000
WIDE_SEEDS ?= 300
LIFETIMES  ?= 200000

.PHONY: simulate
simulate: ## live random lives of the program in virtual time (FULL_SEEDS=, WIDE_SEEDS=, LIFETIMES=): docs/simulation.md
	$(GO) build -o $(BIN)/ringonce ./cmd/ringonce
	$(BIN)/ringonce simulate --world full --seeds $(FULL_SEEDS)
	$(BIN)/ringonce simulate --world full --wide --first 1001 --seeds $(WIDE_SEEDS)
	$(BIN)/ringonce simulate --world light --wide --seeds 2000
	$(BIN)/ringonce simulate --world light --plain --requests 80 --first 2001 --seeds 3200 --lifetimes $(LIFETIMES)

.PHONY: fuzz
fuzz: ## fuzz what takes input from outside, 20 s each (FUZZTIME=, FUZZ=); docs/fuzzing.md says what was run longer
	FUZZ='$(or $(FUZZ),FuzzDecode|FuzzMapping|FuzzPhone|FuzzFingerprint|FuzzConfig)' FUZZTIME=$(if $(filter file,$(origin FUZZTIME)),20s,$(FUZZTIME)) tools/fuzz.sh

.PHONY: mutate
mutate: ## plant deliberate bugs one at a time, and see a test report each (ONLY=ids, MUTATE='-sim -record ...'); docs/proof-mutants.md
	$(GO) build -o $(BIN)/mutate ./tools/mutate
	$(BIN)/mutate $(if $(ONLY),-only=$(ONLY)) $(MUTATE)

.PHONY: bench
bench: ## run the benchmarks (PKG=, BENCH=, BENCHTIME=, COUNT=); docs/benchmarks.md says how to read them
	$(GO) test -run='^$$' -bench='$(BENCH)' -benchmem -benchtime=$(BENCHTIME) -count=$(COUNT) $(PKG)

.PHONY: bench-peers
bench-peers: ## accepted once and repeats, side by side with DBOS, River and Powertools (PEERS_FLAGS='-items 20000 ...'); needs Python 3 and Node
	@$(GO) -C $(PEERS) run . $(PEERS_FLAGS)

.PHONY: night
night: ## hours instead of minutes: race, shuffled repeats, fuzzing, kills, mutants, integration with RINGONCE_NIGHT=1 (FUZZTIME=, NIGHT_COUNT=, NIGHT_KILLS=)
	CGO_ENABLED=1 RINGONCE_NIGHT=1 $(GO) test -race -count=1 -timeout=2h ./...
	RINGONCE_SEEDS=$(WORLD_SEEDS) $(GO) test -count=1 -timeout=2h -run='^(TestNoSeedRings|TestNoSeedDoesSoWhatever|TestTheSweepFinds|TestWithoutALedgerTheToken)' ./internal/sim
	RINGONCE_SEEDS=$(NIGHT_SEEDS) $(GO) test -count=1 -timeout=4h -run='^TestNoSeedDoesSo(With|On)' ./internal/sim
	RINGONCE_NIGHT=1 $(GO) test -shuffle=on -count=$(NIGHT_COUNT) -timeout=2h ./...
	FUZZTIME=$(FUZZTIME) tools/fuzz.sh
	$(MAKE) crash KILLS=$(NIGHT_KILLS) SEED=1000
	$(MAKE) mutate
	RINGONCE_NIGHT=1 $(MAKE) test-integration
	$(MAKE) test-postgres

# ---- deployment ----

.PHONY: lambda
lambda: ## build dist/ringonce-lambda-{arm64,amd64}.zip, byte-identical each time
	$(GO) run ./tools/lambdazip -o dist

# What CI's machine cannot do: it has no engine of containers and no root (docs/serve.md).
.PHONY: try-container
try-container: ## build the image and live with it (needs podman or docker; ENGINE=, BUILD=, RUN=)
	deploy/container/try.sh

.PHONY: try-systemd
try-systemd: ## live with the unit under a systemd of its own (needs root, systemd-nspawn; ROOT=a Debian that boots)
	deploy/systemd/try.sh

# ---- reports ----

.PHONY: vuln
vuln: $(VULN) ## look for known vulnerabilities; says so where the database cannot be reached
	$(GO) build -o $(BIN)/vuln ./tools/vuln
	$(BIN)/vuln $(VULN) ./...

.PHONY: lambda-size
lambda-size: ## build the Lambda bootstrap and compare its stripped size with the goal
	CGO_ENABLED=0 GOOS=linux $(GO) build -trimpath -tags=lambda.norpc,nethttpomithttp2 -ldflags='-s -w' -o $(BIN)/bootstrap ./cmd/ringonce-lambda
	@size=$$(wc -c < $(BIN)/bootstrap); echo "cmd/ringonce-lambda: $$size bytes stripped, goal at most 14000000"; test "$$size" -le 14000000

# ---- tools ----

.PHONY: tools
tools: $(GOLANGCI) $(VULN) $(SBOM) ## build the pinned tools into .tools/

# A stamp with the version in its name makes a new version a new target.
$(GOLANGCI): $(BIN)/.golangci-lint-$(GOLANGCI_VERSION)
$(BIN)/.golangci-lint-$(GOLANGCI_VERSION):
	$(call install,github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION))

$(VULN): $(BIN)/.govulncheck-$(GOVULNCHECK_VERSION)
$(BIN)/.govulncheck-$(GOVULNCHECK_VERSION):
	$(call install,golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION))

$(SBOM): $(BIN)/.cyclonedx-gomod-$(CYCLONEDX_VERSION)
$(BIN)/.cyclonedx-gomod-$(CYCLONEDX_VERSION):
	$(call install,github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX_VERSION))

# GOFLAGS is emptied: a flag meant for our module, such as -mod, must not change how a tool is built.
define install
	@mkdir -p $(BIN)
	GOFLAGS= GOBIN=$(BIN) $(GO) install $(1)
	@touch $@
endef
