#!/usr/bin/env bash
# tpm2_encodeobject writes the opposite of what a key has into emptyAuth.
#
# Guess: with tpm2-tools 5.4-1 (Debian 12), `tpm2_encodeobject` writes TRUE into `emptyAuth` (draft-bottomley-tpm2-keys: TRUE means
# that the key has no authorization value) of the file of a key without one, and FALSE or
# nothing with `--key-auth`.
# Seen: the file of a key without one has FALSE, that of a key with one has TRUE. A program that believes it asks for a PIN
# that does not exist, or tries an empty one, which counts towards the lockout of the TPM.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
tpm=
trap '[ -z "$tpm" ] || kill "$tpm"; rm -rf "$folder"' EXIT
cd "$folder"
tss=3.2.1-3
apt-get download -qq -o APT::Sandbox::User=root tpm2-tools=5.4-1 swtpm=0.7.1-1.3 swtpm-libs=0.7.1-1.3 \
  libtpms0 "libtss2-esys-3.0.2-0=$tss" "libtss2-mu0=$tss" "libtss2-sys1=$tss" "libtss2-tctildr0=$tss" \
  "libtss2-tcti-swtpm0=$tss" "libtss2-rc0=$tss" "libtss2-fapi1=$tss" libseccomp2 libfuse2 libcurl4 libjson-c5 libefivar1 \
  libtasn1-6 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
lib=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
export PATH=$folder/unpacked/usr/bin:$PATH LD_LIBRARY_PATH=$lib:$lib/swtpm TPM2TOOLS_TCTI=swtpm:path=$folder/tpm
export TSS2_LOG=all+NONE
mkdir state
swtpm socket --tpm2 --tpmstate dir=state --server type=unixio,path=tpm --ctrl type=unixio,path=tpm.ctrl \
  --flags startup-clear,not-need-init > log 2>&1 &
tpm=$!
for _ in $(seq 50); do [ ! -S tpm.ctrl ] || break; sleep 0.1; done
tpm2_createprimary -Q -C o -G ecc256:aes128cfb -c parent
tpm2_flushcontext -t
tpm2_evictcontrol -Q -C o -c parent 0x81000007
for authorization in "" secret; do
  tpm2_flushcontext -t
  tpm2_create -Q -C 0x81000007 -G ecc256:ecdsa-sha256 -u public -r private ${authorization:+-p "$authorization"}
  tpm2_flushcontext -t
  tpm2_encodeobject -C 0x81000007 -u public -r private -o key.pem ${authorization:+-p} 2> log
  openssl asn1parse -in key.pem | awk -v authorization="${authorization:-none}" '/BOOLEAN/ {
    sub(/.*:/, ""); print "authorization value: " authorization ", emptyAuth: " ($0 == "0" ? "FALSE" : "TRUE") }'
done | tee seen
diff seen - <<'END'
authorization value: none, emptyAuth: FALSE
authorization value: secret, emptyAuth: TRUE
END
