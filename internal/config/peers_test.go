package config

import (
	"reflect"
	"testing"
)

func TestPeersWrongValues(t *testing.T) {
	for variable, says := range map[string]string{
		"TINI_VERBOSITY=4":     `TINI_VERBOSITY="4": want 0, 1, 2 or 3`,
		"TINI_VERBOSITY=high":  `TINI_VERBOSITY="high": want 0, 1, 2 or 3`,
		"DUMB_INIT_SETSID=no":  `DUMB_INIT_SETSID="no": want 0 or 1`,
		"DUMB_INIT_DEBUG=true": `DUMB_INIT_DEBUG="true": want 0 or 1`,
	} {
		_, _, err := run("sbinit true", variable)
		if faultsOf(t, err); err.Error() != says {
			t.Errorf("%s: %v, want %s", variable, err, says)
		}
	}
}

// The peers take no notice of a value they do not know, so under their names it
// must not keep a container from starting.
func TestPeersWrongValuesUnderTheirNames(t *testing.T) {
	inv, warnings, err := run("tini true", "TINI_VERBOSITY=high")
	if err != nil || len(warnings) != 1 {
		t.Fatalf("error %v, warnings %v", err, warnings)
	}
	if text := warnings[0].String(); text != `TINI_VERBOSITY="high": ignored; want 0, 1, 2 or 3` {
		t.Error(text)
	}
	if !reflect.DeepEqual(inv.Config, Default(Tini)) {
		t.Errorf("%+v", inv.Config)
	}
}

// An image with dumb-init inside must not set up the docker-init outside.
func TestPeersOfOthers(t *testing.T) {
	c := mustRun(t, "docker-init true", "DUMB_INIT_SETSID=nonsense", "DUMB_INIT_DEBUG=1")
	if !reflect.DeepEqual(c, Default(Tini)) {
		t.Errorf("docker-init with dumb-init's variables: %+v", c)
	}
	c = mustRun(t, "dumb-init -c true", "TINI_VERBOSITY=3", "TINI_SUBREAPER=1")
	if c.LogLevel != LevelError || c.Subreaper != SubreaperOff {
		t.Errorf("dumb-init with tini's variables: %+v", c)
	}
}
