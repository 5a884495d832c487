// A self-signed certificate for 127.0.0.1, valid for a hundred years. Made with
// openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost
// -addext subjectAltName=IP:127.0.0.1,DNS:localhost
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUDZ1E8Af8LYZwbTzV8cUSFETOxbQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNjA3NTkyM1oYDzIxMjYxMDIz
MDc1OTIzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASYh0P62qwCDREnr6TZsMAUAldcqABNN8ynVLqLl5T6PIyUdbj/0reV
N/AybUpy1DAwtRV+hzOjDwvj6RtREy4Eo28wbTAdBgNVHQ4EFgQUv3bpMN/nc4Ze
oYCcq4h+mfQSRu8wHwYDVR0jBBgwFoAUv3bpMN/nc4ZeoYCcq4h+mfQSRu8wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIgQGrjpczIW9ZCA/Myy+FRStbD+LzUnXjXtf7BSrlBbCsCIQCI
/k4BA3Zl0In5AmfjwgNpgTVgQWW54H7akiD0hoJPQg==
-----END CERTIFICATE-----
`;

export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgb5UAc2WpeTWjieL1
lDXUHfV0LH2uUJBUIzuH7m4z1jGhRANCAASYh0P62qwCDREnr6TZsMAUAldcqABN
N8ynVLqLl5T6PIyUdbj/0reVN/AybUpy1DAwtRV+hzOjDwvj6RtREy4E
-----END PRIVATE KEY-----
`;
