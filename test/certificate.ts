/**
 * A key and a self-signed certificate for localhost. No client trusts it, so suites run with `--insecure`. It protects nothing.
 */

/** For `new NodeHttp2Engine(certificate)`. */
export const certificate: { readonly key: string; readonly cert: string } = {
  key: `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5NEyHVC9fTdqIWw3
EXZuNvEdHbeSsctv0Q4dH//owluhRANCAARwQ+cJ1uUJiTyBouaZbLiSHgWVxsNn
dm0lcOKinaM2u3SZjN34mjCNUkfwW4qV/E/L2HZbqEQaojhMFxNE+uM/
-----END PRIVATE KEY-----
`,
  cert: `
-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUfZaPXk7Finy3jozp4D4Nl/5vm4IwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE3MjkxMloYDzIxMDAxMDI0
MTcyOTEyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARwQ+cJ1uUJiTyBouaZbLiSHgWVxsNndm0lcOKinaM2u3SZjN34mjCN
UkfwW4qV/E/L2HZbqEQaojhMFxNE+uM/o28wbTAdBgNVHQ4EFgQUWvsAtfKrzawG
QXXEoIlKHIoIKKkwHwYDVR0jBBgwFoAUWvsAtfKrzawGQXXEoIlKHIoIKKkwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhANqh7YNyVxU53s0vvOmADrYl9ao8aWmY10kJIWDMDNAvAiEA
8b+bDw/x8IOM769GTuRuCnAaDqp8hyQUcFhT1v2znPU=
-----END CERTIFICATE-----
`,
};
