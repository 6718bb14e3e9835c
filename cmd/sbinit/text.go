package main

const license = `sbinit is licensed under the Apache License, Version 2.0:
https://www.apache.org/licenses/LICENSE-2.0

It is distributed on an "AS IS" basis, without warranties or conditions of any
kind, either express or implied.
`
