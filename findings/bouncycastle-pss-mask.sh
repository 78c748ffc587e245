#!/usr/bin/env bash
# Bouncy Castle refuses RSASSA-PSS whose mask has another hash, and its lightweight verifier says "invalid" to all RSASSA-PSS.
#
# Guess: Bouncy Castle, with which programs in Java judge passports, verifies each RSASSA-PSS of RFC 4055 in certificates and in
# CMS. There the hash of the mask is a parameter of its own, and SHA-1 if it is absent.
# Seen: bcprov and bcpkix 1.72-2 of Debian 12 verify SHA-256 with a mask by SHA-256. If the mask is by SHA-1 they raise an error, for a
# certificate ("digest algorithm for MGF should be the same as for PSS parameters") and for CMS ("no such algorithm:
# SHA256WITHRSAANDMGF1USINGSHA1"). BcRSAContentVerifierProviderBuilder raises no error: it returns false for both masks.
# OpenJDK 17.0.19+10-1~deb12u2 and OpenSSL 3 find all of them valid. A program verifies RSASSA-PSS with the provider SunRsaSign,
# and takes false of the lightweight verifier for no answer.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
apt-get download -qq -o APT::Sandbox::User=root openjdk-17-jre-headless=17.0.19+10-1~deb12u2 \
  libbcprov-java=1.72-2 libbcutil-java=1.72-2 libbcpkix-java=1.72-2 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
# The settings of the package are links into /etc.
find unpacked/usr/lib/jvm -type l | while read -r link; do
  target=$(readlink "$link")
  case $target in /etc/*) ln -sfn "$folder/unpacked$target" "$link" ;; esac
done

printf specimen > content
for mask in sha256 sha1; do
  pss="-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32 -sigopt rsa_mgf1_md:$mask"
  # shellcheck disable=SC2086
  openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -sha256 $pss -days 3650 -subj "/C=UT/CN=CSCA" -out $mask.pem 2> log
  # shellcheck disable=SC2086
  openssl cms -sign -binary -in content -signer $mask.pem -inkey key.pem -md sha256 ${pss//-sigopt/-keyopt} \
    -nodetach -outform DER -out $mask.cms
  openssl verify -check_ss_sig -CAfile $mask.pem $mask.pem > log
  openssl cms -verify -inform DER -in $mask.cms -CAfile $mask.pem -purpose any -out back 2> log
done

cat > Verify.java <<'END'
import java.io.FileInputStream;
import java.nio.file.*;
import java.security.Security;
import java.security.cert.*;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.*;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.DefaultDigestAlgorithmIdentifierFinder;
import org.bouncycastle.operator.bc.BcRSAContentVerifierProviderBuilder;

public class Verify {
  interface Verification { boolean run() throws Exception; }

  static void show(String what, Verification verification) {
    try {
      System.out.println(what + (verification.run() ? "valid" : "invalid"));
    } catch (Exception error) {
      System.out.println(what + "refused");
    }
  }

  public static void main(String[] masks) throws Exception {
    Security.addProvider(new BouncyCastleProvider());
    for (String mask : masks) {
      X509Certificate certificate;
      try (FileInputStream file = new FileInputStream(mask + ".pem")) {
        certificate = (X509Certificate) CertificateFactory.getInstance("X.509", "SUN").generateCertificate(file);
      }
      X509CertificateHolder holder = new X509CertificateHolder(certificate.getEncoded());
      SignerInformation signer =
          new CMSSignedData(Files.readAllBytes(Path.of(mask + ".cms"))).getSignerInfos().iterator().next();
      X509Certificate other;
      try (FileInputStream file = new FileInputStream(mask + ".pem")) {
        other = (X509Certificate) CertificateFactory.getInstance("X.509", "BC").generateCertificate(file);
      }
      String what = "SHA-256, mask by " + mask + ", ";
      show(what + "certificate, SunRsaSign: ", () -> { certificate.verify(certificate.getPublicKey(), "SunRsaSign"); return true; });
      show(what + "certificate, BC: ", () -> { other.verify(other.getPublicKey(), "BC"); return true; });
      show(what + "CMS, BC: ",
          () -> signer.verify(new JcaSimpleSignerInfoVerifierBuilder().setProvider("BC").build(holder)));
      show(what + "certificate, lightweight: ", () -> holder.isSignatureValid(
          new BcRSAContentVerifierProviderBuilder(new DefaultDigestAlgorithmIdentifierFinder()).build(holder)));
    }
  }
}
END
jars=$folder/unpacked/usr/share/java
"$(find unpacked/usr/lib/jvm -path '*/bin/java' -type f)" -cp "$jars/bcprov.jar:$jars/bcutil.jar:$jars/bcpkix.jar" \
  Verify.java sha256 sha1 | tee seen
diff seen - <<'END'
SHA-256, mask by sha256, certificate, SunRsaSign: valid
SHA-256, mask by sha256, certificate, BC: valid
SHA-256, mask by sha256, CMS, BC: valid
SHA-256, mask by sha256, certificate, lightweight: invalid
SHA-256, mask by sha1, certificate, SunRsaSign: valid
SHA-256, mask by sha1, certificate, BC: refused
SHA-256, mask by sha1, CMS, BC: refused
SHA-256, mask by sha1, certificate, lightweight: invalid
END
