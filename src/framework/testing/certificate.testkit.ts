/** A key and a certificate for localhost, for tests only: hand-made, valid from 2000 to 2100, trusted by no system. */

/** For `new NodeHttp2Engine(certificate)`. As `ca` it makes a client trust itself. */
export const certificate: { readonly key: string; readonly cert: string } = {
  key: `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgFrnL3dI1dSDlFL7j
H9lGc7fKs8uZV1tfbtXzDTgMvHehRANCAARMihMEaxRVUDgTuBJ6BT2+2oAHcmjo
6hFYIpj8N1yd554ShC4ByiynmGwQlrhLe/qIIn86kjd2nLz5XKjLYIaK
-----END PRIVATE KEY-----
`,
  cert: `
-----BEGIN CERTIFICATE-----
MIIBZzCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMDAwMTAxMDAwMDAwWhgPMjEwMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABEyKEwRrFFVQOBO4
EnoFPb7agAdyaOjqEVgimPw3XJ3nnhKELgHKLKeYbBCWuEt7+ogifzqSN3acvPlc
qMtghoqjTjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8E
BTADAQH/MB0GA1UdDgQWBBTZSQ4PayMTYG0Vm8DnjEnffhMsyjAKBggqhkjOPQQD
AgNIADBFAiABa4o4g/s1yXElciGVBugH/mt6r6MLHYSMJ1H2TSK7oQIhALzrqu4N
d8cFXIIT8C2Rcl/M8srs8uEeBxyYgYvOgL+S
-----END CERTIFICATE-----
`,
};
