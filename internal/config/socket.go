package config

import (
	"errors"
	"path"
)

// longestSocket is how long a Unix socket's path may be, in bytes: what sun_path has
// room for beside a NUL (unix(7)).
const longestSocket = 107

// StandardSocket is where the control socket is unless somebody wants it elsewhere.
const StandardSocket = "/run/sbinit.sock"

// socketPath is an absolute path, or off, which is empty in the configuration.
func socketPath(field func(*Config) *string) codec {
	return codec{
		values: "path, `off`",
		set: func(c *Config, value string) error {
			_, off := indexOf(value, []string{"off"})
			switch {
			case off:
				*field(c) = ""
			case !path.IsAbs(value) || len(value) > longestSocket:
				return errors.New("want an absolute path of at most 107 bytes such as /run/sbinit.sock, or off")
			default:
				*field(c) = value
			}
			return nil
		},
		get: func(c *Config) string {
			if *field(c) == "" {
				return "off"
			}
			return *field(c)
		},
	}
}
