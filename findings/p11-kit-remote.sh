#!/usr/bin/env bash
# A token loses half of its mechanisms on the way through p11-kit's server, and says nothing about it.
#
# Guess: `p11-kit server` and p11-kit-client.so 0.24.1-2 (Debian 12) carry the calls of PKCS#11 to a token in another process, container
# or machine, so that the far token does what the near one does.
# Seen: of the 70 mechanisms of softhsm2 2.6.1-2.1 the client has 36. C_GetMechanismList leaves out those that the protocol does not
# carry, and their use fails: nearly all that have a parameter, such as ECDH1-DERIVE, AES-CBC and SHA256-RSA-PKCS-PSS, but also EDDSA,
# AES-CMAC and SHA224, which have none. A first test of the connection makes a key and signs with ECDSA, and succeeds; the chip
# authentication of a terminal, secure messaging, and a signer with RSASSA-PSS that lets the token hash do not.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root p11-kit=0.24.1-2 p11-kit-modules=0.24.1-2 libp11-kit0=0.24.1-2 \
  opensc=0.23.0-0.3+deb12u2 opensc-pkcs11=0.23.0-0.3+deb12u2 softhsm2=2.6.1-2.1 libsofthsm2=2.6.1-2.1 softhsm2-common=2.6.1-2.1 \
  libglib2.0-0 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
LD_LIBRARY_PATH=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH PATH=$folder/unpacked/usr/bin:$PATH SOFTHSM2_CONF=$folder/softhsm2.conf HOME=$folder XDG_RUNTIME_DIR=$folder/run
mkdir tokens
mkdir -m 700 run
printf 'directories.tokendir = %s/tokens\nobjectstore.backend = file\n' "$folder" > softhsm2.conf
near=$(find "$folder/unpacked" -name libsofthsm2.so | head -n 1)
far=$(find "$folder/unpacked" -name p11-kit-client.so)
softhsm2-util --module "$near" --init-token --free --label t --pin 1234 --so-pin 5678 > log

server=$(find "$folder/unpacked" -name p11-kit-server)
"$server" --foreground --sh --name "$folder/socket" --provider "$near" 'pkcs11:token=t' > address 2> log &
process=$!
trap '{ kill "$process" && wait "$process"; } 2> log || true; rm -rf "$folder"' EXIT
for _ in $(seq 50); do [ ! -S socket ] || break; sleep 0.1; done
export P11_KIT_SERVER_ADDRESS=unix:path=$folder/socket

tool() { pkcs11-tool --module "$1" --login --pin 1234 "${@:2}"; }
for side in near far; do
  pkcs11-tool --module "${!side}" --list-mechanisms 2> log | sed -n 's/^  \([^,]*\),.*/\1/p' | sort > "$side-mechanisms"
done
echo "near $(wc -l < near-mechanisms) mechanisms, far $(wc -l < far-mechanisms)" > seen
for name in ECDSA-KEY-PAIR-GEN ECDSA RSA-PKCS RSA-PKCS-PSS EDDSA AES-CMAC AES-CBC SHA224 ECDH1-DERIVE SHA256-RSA-PKCS-PSS; do
  echo "$name: near $(grep -cx "$name" near-mechanisms || true), far $(grep -cx "$name" far-mechanisms || true)"
done >> seen

echo specimen > data
openssl dgst -sha256 -binary data > digest
tool "$near" --keypairgen --key-type EC:prime256v1 --label ec --id 01 --usage-derive > log 2>&1
tool "$near" --keypairgen --key-type rsa:2048 --label rsa --id 02 > log 2>&1
tool "$near" --read-object --type pubkey --id 01 -o public > log 2>&1
works() { tool "${!side}" "$@" > log 2>&1 && echo done || echo fails; }
for side in near far; do
  echo "$side: ECDSA $(works --sign --mechanism ECDSA --id 01 -i digest -o output)," \
    "RSA-PKCS-PSS $(works --sign --mechanism RSA-PKCS-PSS --hash-algorithm SHA256 --id 02 -i digest -o output)," \
    "SHA256-RSA-PKCS-PSS $(works --sign --mechanism SHA256-RSA-PKCS-PSS --id 02 -i data -o output)," \
    "ECDH1-DERIVE $(works --derive --mechanism ECDH1-DERIVE --id 01 -i public -o output)"
done >> seen
cat seen
diff seen - <<'END'
near 70 mechanisms, far 36
ECDSA-KEY-PAIR-GEN: near 1, far 1
ECDSA: near 1, far 1
RSA-PKCS: near 1, far 1
RSA-PKCS-PSS: near 1, far 1
EDDSA: near 1, far 0
AES-CMAC: near 1, far 0
AES-CBC: near 1, far 0
SHA224: near 1, far 0
ECDH1-DERIVE: near 1, far 0
SHA256-RSA-PKCS-PSS: near 1, far 0
near: ECDSA done, RSA-PKCS-PSS done, SHA256-RSA-PKCS-PSS done, ECDH1-DERIVE done
far: ECDSA done, RSA-PKCS-PSS done, SHA256-RSA-PKCS-PSS fails, ECDH1-DERIVE fails
END
