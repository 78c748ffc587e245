#!/usr/bin/env bash
# NSS signs with the new key of a country signer when it is told the old one.
#
# Guess: a database of NSS has the nickname that was given for each certificate: after `pk12util -i` of a file with the friendly name
# "csca-2020" and of one with "csca-2025", `certutil -S -c csca-2020` issues with the key of 2020.
# Seen: with libnss3-tools 2:3.87.1-1+deb12u4 (Debian 12), both certificates have the nickname that came first, as they have one
# subject, and a country signer keeps its subject when it changes its key. The import says nothing of it. `-c csca-2020` signs with
# the newer key, `-L -a -n csca-2020` writes both certificates, the newer one first, and "csca-2025" does not exist. If the newer one
# is imported first, it is the other way round with the names, and the newer key signs all the same. With `certutil -A` each
# certificate keeps its own nickname, and yet `-L -a -n` writes both for each of the two.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root libnss3-tools=2:3.87.1-1+deb12u4 libnss3=2:3.87.1-1+deb12u4 libnspr4 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
LD_LIBRARY_PATH=$folder/unpacked/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH PATH=$folder/unpacked/usr/bin:$PATH HOME=$folder

printf '%s\n' '[ca]' 'default_ca = d' '[d]' 'database = index' 'serial = serial' 'new_certs_dir = .' 'default_md = sha256' \
  'policy = p' 'unique_subject = no' 'x509_extensions = e' '[p]' 'countryName = supplied' 'organizationName = supplied' \
  'commonName = supplied' '[e]' 'subjectKeyIdentifier = hash' 'keyUsage = critical, keyCertSign, cRLSign' \
  'basicConstraints = critical, CA:TRUE, pathlen:0' > settings
: > index
echo 01 > serial
for year in 2020 2025; do
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "csca-$year.key"
  openssl req -new -key "csca-$year.key" -subj "/C=UT/O=Specimen/CN=Country signer" -out request
  openssl ca -config settings -batch -notext -selfsign -keyfile "csca-$year.key" -in request -startdate "${year}0101000000Z" \
    -enddate "$((year + 20))0101000000Z" -out "csca-$year.pem" 2> log
  openssl pkcs12 -export -in "csca-$year.pem" -inkey "csca-$year.key" -name "csca-$year" -passout pass:x -out "csca-$year.p12"
done
head -c 64 /dev/urandom > noise
names() { certutil -L -d "sql:$1" | awk '/^csca/ {print $1}' | sort | paste -sd ' '; }
# Certificates as PEM, to years.
years() {
  csplit -s -z -f part - '/BEGIN/' '{*}'
  for part in part*; do openssl x509 -in "$part" -noout -serial | sed 's/serial=01/2020/; s/serial=02/2025/'; done | paste -sd ' '
  rm part*
}

for order in "2020 2025" "2025 2020"; do
  read -r first second <<< "$order"
  database=keys-$first
  mkdir "$database"
  certutil -N -d "sql:$database" --empty-password
  for year in "$first" "$second"; do pk12util -i "csca-$year.p12" -d "sql:$database" -W x > log; done
  echo "pk12util, $first and then $second: nicknames $(names "$database"), certificates:" \
    "$(certutil -L -d "sql:$database" -a -n "csca-$first" | years)"
  certutil -M -d "sql:$database" -n "csca-$first" -t C,C,C
  for year in 2020 2025; do
    if certutil -S -d "sql:$database" -n "signer-$year" -s "CN=Document signer,O=Specimen,C=UT" -c "csca-$year" -t , -k ec \
      -q nistp256 -z noise -m "7$year" -v 12 > log 2>&1; then
      certutil -L -d "sql:$database" -a -n "signer-$year" > signer
      for key in 2020 2025; do
        ! openssl verify -partial_chain -trusted "csca-$key.pem" signer > log 2>&1 ||
          echo "  issuer csca-$year: signed by the key of $key"
      done
      certutil -D -d "sql:$database" -n "signer-$year"
    else
      echo "  issuer csca-$year: $(grep -o 'could not find certificate named.*"' log)"
    fi
  done
done > seen
mkdir anchors
certutil -N -d sql:anchors --empty-password
for year in 2020 2025; do certutil -A -d sql:anchors -n "csca-$year" -t C,C,C -a -i "csca-$year.pem"; done
echo "certutil -A: nicknames $(names anchors)" >> seen
for year in 2020 2025; do echo "  csca-$year: $(certutil -L -d sql:anchors -a -n "csca-$year" | years)"; done >> seen
cat seen
diff seen - <<'END'
pk12util, 2020 and then 2025: nicknames csca-2020 csca-2020, certificates: 2025 2020
  issuer csca-2020: signed by the key of 2025
  issuer csca-2025: could not find certificate named "csca-2025"
pk12util, 2025 and then 2020: nicknames csca-2025 csca-2025, certificates: 2025 2020
  issuer csca-2020: could not find certificate named "csca-2020"
  issuer csca-2025: signed by the key of 2025
certutil -A: nicknames csca-2020 csca-2025
  csca-2020: 2025 2020
  csca-2025: 2025 2020
END
