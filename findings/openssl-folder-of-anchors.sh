#!/usr/bin/env bash
# OpenSSL does not look for a country signer in the folder if the file has another one of this name.
#
# Guess: with openssl 3.0.22-1~deb12u2 (Debian 12), `openssl verify -CAfile FILE -CApath FOLDER` has the anchors of the file and those of
# the folder. A country signer keeps its name when it changes its key, and a new certificate that is added to the folder (with its
# link by `openssl rehash`) is found there.
# Seen: so it is unless the file has a certificate of the same name. Then the folder, or the store of -CAstore, is not searched, and the
# document signers of the new key have no issuer ("unable to get local issuer certificate"). In the folder alone, or in the file
# alone, both generations are found. An X509_STORE asks its folder only for names of which it holds no certificate yet: a program
# that keeps one misses the generation that comes into the folder after the first document of the country, until it is started anew.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root openssl=3.0.22-1~deb12u2 libssl3=3.0.22-1~deb12u2 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
LD_LIBRARY_PATH=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH PATH=$folder/unpacked/usr/bin:$PATH

# make NAME SUBJECT EXTENSIONS [ISSUER]: a certificate with a key of its own, self-signed without an issuer.
make() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"
  openssl req -new -key "$1.key" -subj "/C=UT/O=Specimen/CN=$2" -out request
  printf 'subjectKeyIdentifier = hash\n%b\n' "$3" > extensions
  if [ $# = 3 ]; then
    openssl x509 -req -in request -signkey "$1.key" -days 3650 -extfile extensions -out "$1"
  else
    echo 'authorityKeyIdentifier = keyid' >> extensions
    openssl x509 -req -in request -CA "$4" -CAkey "$4.key" -CAcreateserial -days 1825 -extfile extensions -out "$1"
  fi 2> log
}
signs='keyUsage = critical, keyCertSign, cRLSign\nbasicConstraints = critical, CA:TRUE, pathlen:0'
make old "Country signer" "$signs"
make new "Country signer" "$signs"
make other "Signer of another country" "$signs"
make signer "Document signer" 'keyUsage = critical, digitalSignature' new
cat old new > both
make signer-old "Document signer" 'keyUsage = critical, digitalSignature' old
mkdir with-new with-both grows
cp new with-new/new.pem
cp old with-both/old.pem
cp new with-both/new.pem
cp old grows/old.pem
for name in with-new with-both grows; do openssl rehash "$name"; done

for case in "-no-CAfile -CApath with-new" "-no-CAfile -CApath with-both" "-CAfile both -no-CApath" "-CAfile other -CApath with-new" \
  "-CAfile old -CApath with-new" "-CAfile old -CApath with-both" "-CAfile old -no-CApath -CAstore with-new"; do
  # shellcheck disable=SC2086
  result=$(openssl verify $case signer 2>&1) || true
  echo "$case: $(sed -n -e 's/.*depth lookup: //p' -e 's/.*: OK/accepted/p' <<< "$result")"
done > seen

cat > keeps.py <<'END'
import ctypes, subprocess, sys

crypto = ctypes.CDLL("libcrypto.so.3")
for name in ("X509_STORE_new", "X509_STORE_CTX_new", "d2i_X509", "X509_verify_cert_error_string"):
    getattr(crypto, name).restype = ctypes.c_void_p
pointer = ctypes.c_void_p


def certificate(name):
    der = subprocess.run(["openssl", "x509", "-in", name, "-outform", "DER"], stdout=subprocess.PIPE, check=True).stdout
    at = ctypes.cast(ctypes.create_string_buffer(der, len(der)), pointer)
    return pointer(crypto.d2i_X509(None, ctypes.byref(at), ctypes.c_long(len(der))))


def store():
    made = pointer(crypto.X509_STORE_new())
    assert crypto.X509_STORE_load_path(made, b"grows") == 1
    return made


def judge(anchors, name):
    context = pointer(crypto.X509_STORE_CTX_new())
    assert crypto.X509_STORE_CTX_init(context, anchors, certificate(name), None) == 1
    crypto.X509_verify_cert(context)
    error = ctypes.c_long(crypto.X509_STORE_CTX_get_error(context))
    return ctypes.string_at(crypto.X509_verify_cert_error_string(error)).decode()


kept = store()
print("a program, signer of the old key:", judge(kept, "signer-old"))
subprocess.run(["cp", "new", "grows/new.pem"], check=True)
subprocess.run(["openssl", "rehash", "grows"], check=True)
print("the new one comes into the folder, signer of the new key:", judge(kept, "signer"))
print("started anew, signer of the new key:", judge(store(), "signer"))
END
python3 keeps.py >> seen
cat seen
diff seen - <<'END'
-no-CAfile -CApath with-new: accepted
-no-CAfile -CApath with-both: accepted
-CAfile both -no-CApath: accepted
-CAfile other -CApath with-new: accepted
-CAfile old -CApath with-new: unable to get local issuer certificate
-CAfile old -CApath with-both: unable to get local issuer certificate
-CAfile old -no-CApath -CAstore with-new: unable to get local issuer certificate
a program, signer of the old key: ok
the new one comes into the folder, signer of the new key: unable to get local issuer certificate
started anew, signer of the new key: ok
END
