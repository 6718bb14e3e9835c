# sbinit. `make` or `make help` lists the targets.

GO      ?= go
BIN     := bin/sbinit
VERSION ?= 0.1.0
COMMIT  ?= $(shell deploy/commit.sh)
PREFIX  ?= /usr/local

# The entry stub (internal/inherit) runs before the Go runtime. It needs the
# internal linker, hence no cgo, and the name of a table of the runtime's.
# Without preemption by SIGURG that signal is the container's alone.
STUB    := github.com/sbinit/sbinit/internal/inherit.entry
TAGS    := sbinit_stub
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT) -E $(STUB) -checklinkname=0 \
           -X runtime.godebugDefault=asyncpreemptoff=1,containermaxprocs=0,updatemaxprocs=0

# What is released: architectures by the names of GOARCH, and those of them that there
# is a stub for. The others are built without its flags.
RELEASE ?= amd64 arm64 armv7 riscv64 ppc64le s390x
STUBBED := amd64 arm64
PLAIN   := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 30s
FUZZED      ?= ./internal/...
RUNS        ?= 3
SOAK        ?= 2m
SEED        ?= 0
FOR         ?= test

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build the static binary bin/sbinit
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/sbinit

.PHONY: demo
demo: build ## see the point in ten seconds: a killed daemon's child under sbinit, and without
	CGO_ENABLED=0 $(GO) run ./deploy/demo $(BIN)

.PHONY: packages
packages: ## install what the tests need, or what the targets FOR (test) do (Debian, root)
	@deploy/packages.sh install $(FOR)

# What a target needs is looked for before anything is built.
need-%:
	@deploy/packages.sh need $*

.PHONY: test
test: need-test build ## all tests that need no container engine
	@rm -f $(BIN).skipped
	SBINIT_SKIPPED=$(CURDIR)/$(BIN).skipped SBINIT_BINARY=$(CURDIR)/$(BIN) $(GO) test -count=1 -p 1 -timeout 30m ./...; \
	  status=$$?; deploy/skipped.sh $(BIN).skipped; exit $$status

.PHONY: race
race: need-race ## the tests that run in their own process, under the race detector (needs gcc)
	CGO_ENABLED=1 $(GO) test -count=1 -short -race -timeout 20m ./internal/...

.PHONY: vet
vet: ## go vet, for all that is built
	$(GO) vet ./...
	$(GO) vet -tags $(TAGS) ./...
	$(GO) vet -tags e2e ./deploy/e2e ./deploy/examples
	$(GO) vet -tags release ./deploy/release
	$(GO) vet -tags soak ./deploy/soak
	cd deploy/validate && $(GO) vet ./...
	@for arch in $(filter-out $(shell $(GO) env GOARCH),$(RELEASE:armv7=arm)); do \
	  echo "go vet for $$arch"; \
	  GOARCH=$$arch $(GO) vet ./cmd/... ./internal/... || exit 1; \
	done
	@test -z "$$(gofmt -l cmd internal deploy)" || { echo "not gofmt'ed:"; gofmt -l cmd internal deploy; exit 1; }

.PHONY: lint
lint: ## staticcheck (staticcheck.conf says which checks)
	$(GO) run $(STATICCHECK) ./...
	$(GO) run $(STATICCHECK) -tags e2e,release ./deploy/...

.PHONY: fuzz
fuzz: ## each fuzz target below FUZZED (./internal/...) for FUZZTIME (30s)
	@$(GO) list $(FUZZED) | while read -r pkg; do \
	  for target in $$($(GO) test -list '^Fuzz' "$$pkg" | grep '^Fuzz'); do \
	    echo "$$pkg $$target"; \
	    $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$pkg" || exit 1; \
	  done; \
	done

.PHONY: mutate
mutate: ## take each guard of the code out, and see its test fail
	$(GO) run ./internal/mutate

.PHONY: bench
bench: build ## all figures beside tini, dumb-init, catatonit and script, in one run, into docs/benchmarks.md
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -tags $(TAGS) -ldflags '$(LDFLAGS)' -o bin/floor ./deploy/bench/floor
	CGO_ENABLED=0 $(GO) run ./deploy/bench -doc docs/benchmarks.md -floor bin/floor $(BIN)

.PHONY: e2e
e2e: need-e2e build ## real containers: starts a dockerd of its own (root, docker.io, docker-compose, busybox-static)
	SBINIT_BINARY=$(CURDIR)/$(BIN) $(GO) test -count=1 -v -tags e2e -timeout 20m ./deploy/e2e

.PHONY: soak
soak: need-soak build ## all that PID 1 does at once, in random order, for SOAK (2m); SEED repeats an order
	SBINIT_BINARY=$(CURDIR)/$(BIN) $(GO) test -count=1 -v -tags soak -timeout 0 ./deploy/soak -args -for $(SOAK) -seed $(SEED)

.PHONY: examples
examples: need-examples build ## the harnesses in Node and in Python, against sbinit as PID 1 (node, python3)
	SBINIT_BINARY=$(CURDIR)/$(BIN) $(GO) test -count=1 -tags e2e -timeout 10m ./deploy/examples

.PHONY: manifests
manifests: build ## the compose and Kubernetes files, by the types and the schema of those who read them
	cd deploy/validate && SBINIT_BINARY=$(CURDIR)/$(BIN) $(GO) test -count=1 ./...

.PHONY: incident
incident: need-incident build ## the real sandbox-agent and claude-agent-acp, RUNS of each (root, node, npm, tini)
	deploy/incident/run.sh --runs $(RUNS) --init $(CURDIR)/$(BIN)

.PHONY: size
size: build ## the budgets: size of the binary, memory and threads of PID 1
	$(GO) run ./deploy/size $(BIN)

.PHONY: release
release: ## static binaries of all architectures and their SHA256SUMS, in dist/
	rm -rf dist
	@$(MAKE) --no-print-directory $(RELEASE:%=dist/sbinit-linux-%)
	cd dist && sha256sum sbinit-linux-* >SHA256SUMS

# GOARM counts for arm alone.
dist/sbinit-linux-%:
	CGO_ENABLED=0 GOOS=linux GOARCH=$(*:armv7=arm) GOARM=7 $(GO) build -trimpath -buildvcs=false \
	  $(if $(filter $*,$(STUBBED)),-tags $(TAGS) -ldflags '$(LDFLAGS)',-ldflags '$(PLAIN)') -o $@ ./cmd/sbinit

.PHONY: release-test
release-test: need-release-test ## build twice and compare, run arm64 (qemu-user-static)
	$(GO) test -count=1 -tags release -timeout 20m ./deploy/release

.PHONY: install
install: build ## install sbin/sbinit and the man page below DESTDIR and PREFIX (/usr/local)
	install -D -m 0755 $(BIN) $(DESTDIR)$(PREFIX)/sbin/sbinit
	install -D -m 0644 docs/sbinit.8 $(DESTDIR)$(PREFIX)/share/man/man8/sbinit.8

.PHONY: uninstall
uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/sbin/sbinit $(DESTDIR)$(PREFIX)/share/man/man8/sbinit.8

.PHONY: clean
clean: ## remove what was built
	rm -rf bin dist
