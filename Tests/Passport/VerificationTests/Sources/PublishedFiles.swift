import Foundation
import TestSupport
import Testing

/// The German list and its root as published, and a certificate, a CRL and lists that OpenSSL writes.
struct PublishedFiles {
  static let masterList = Fixtures.specimen("masterlist", file: "DE_ML_2026-05-28-08-28-45.ml")
  static let root = Fixtures.specimen("masterlist", file: "DE_ROOT_CA_CSCA07.cer")

  let certificate: [UInt8]
  let revocationList: [UInt8]
  /// `openssl crl2pkcs7` with the certificate and the CRL.
  let bag: [UInt8]
  /// Signed data with indefinite lengths.
  let masterList: [UInt8]
  let deviationList: [UInt8]
  /// Signed data with the content type of EF.SOD.
  let securityObject: [UInt8]
  /// The certificate and the CRL as OpenSSL prints them, with a description before each.
  let pem: String

  /// They are written once in a run.
  static let written = Task { try await PublishedFiles() }

  private init() async throws {
    let folder = try TemporaryFolder()
    let script = """
      set -e
      cd "$1"
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out root.pem -days 9 \
        -subj '/C=UT/CN=Test Country' -outform PEM
      openssl x509 -in root.pem -outform DER -out root.cer
      touch index.txt
      printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=index.txt\\ndefault_md=sha256\\ndefault_crl_days=9\\n' > ca.conf
      openssl ca -config ca.conf -gencrl -cert root.pem -keyfile key.pem -out list.pem
      openssl crl -in list.pem -outform DER -out list.crl
      openssl crl2pkcs7 -in list.pem -certfile root.pem -outform DER -out bag.p7b
      echo content > content
      for type in 2.23.136.1.1.2 2.23.136.1.1.7 2.23.136.1.1.1; do
        openssl cms -sign -binary -nodetach -stream -econtent_type $type -signer root.pem -inkey key.pem \
          -in content -outform DER -out $type
      done
      (openssl x509 -in root.pem -text; openssl crl -in list.pem -text) > text.pem
      """
    let run = try await RunningProgram(
      URL(fileURLWithPath: "/bin/sh"), ["-c", script, "sh", folder.url.path]
    ).finish()
    try #require(run.status == 0, "\(run.errors)")
    certificate = folder.bytes("root.cer")
    revocationList = folder.bytes("list.crl")
    bag = folder.bytes("bag.p7b")
    masterList = folder.bytes("2.23.136.1.1.2")
    deviationList = folder.bytes("2.23.136.1.1.7")
    securityObject = folder.bytes("2.23.136.1.1.1")
    pem = String(decoding: folder.bytes("text.pem"), as: UTF8.self)
  }

  /// A block of PEM.
  static func block(_ label: String, _ bytes: [UInt8], lineEnd: String = "\n") -> String {
    (["-----BEGIN \(label)-----"] + lines(base64(bytes), of: 64) + ["-----END \(label)-----", ""])
      .joined(separator: lineEnd)
  }

  static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// An attribute of LDIF, folded at 76 characters as the PKD's files are.
  static func attribute(_ name: String, _ bytes: [UInt8]) -> String {
    let pieces = lines("\(name):: \(base64(bytes))", of: 76)
    return pieces.joined(separator: "\n ")
  }

  private static func lines(_ text: String, of length: Int) -> [String] {
    let characters = Array(text.utf8)
    return stride(from: 0, to: characters.count, by: length).map {
      String(decoding: characters[$0..<min($0 + length, characters.count)], as: UTF8.self)
    }
  }
}
