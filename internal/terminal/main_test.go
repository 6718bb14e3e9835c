package terminal_test

import (
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) { testns.Main(m) }
