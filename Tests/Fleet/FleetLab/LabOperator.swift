internal import Foundation
package import TesseraFleet
package import TesseraNATS
internal import TestSupport

/// An operator of NATS with one account, whose users log in with a JWT (docs.nats.io, "JWT Authentication").
package final class LabOperator: Sendable {
  /// For the configuration of a server: who the operator is, and its account.
  package let configuration: String
  private let account: NKey
  private let folder: TemporaryFolder

  package init() throws {
    folder = try TemporaryFolder()
    // Keys of operators differ in the text only.
    let key = try NKey(.account)
    let name = Self.operatorText(of: key.publicKey.text)
    account = try NKey(.account)
    let limits = ["subs", "data", "payload", "imports", "exports", "conn", "leaf"].map { "\"\($0)\":-1" }
    let operatorToken = try Self.token(#"{"type":"operator","version":2}"#, about: name, by: key, named: name)
    let accountToken = try Self.token(
      #"{"limits":{"wildcards":true,\#(limits.joined(separator: ","))},"type":"account","version":2}"#,
      about: account.publicKey.text, by: key, named: name)
    configuration = """
      operator: \(operatorToken)
      resolver: MEMORY
      resolver_preload: { \(account.publicKey.text): \(accountToken) }
      """
  }

  /// A new user, with its JWT and its seed in a file.
  ///
  /// - Parameter number: Part of the file's name.
  package func user(_ number: Int) throws -> NATSCredentials {
    let user = try NKey(.user)
    let token = try Self.token(
      #"{"pub":{},"sub":{},"subs":-1,"data":-1,"payload":-1,"type":"user","version":2}"#,
      about: user.publicKey.text, by: account, named: account.publicKey.text)
    let seed = user.seedText.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    let path = folder.file("user\(number).creds")
    try """
    -----BEGIN NATS USER JWT-----
    \(token)
    ------END NATS USER JWT------

    -----BEGIN USER NKEY SEED-----
    \(seed)
    ------END USER NKEY SEED------

    """.write(toFile: path, atomically: true, encoding: .utf8)
    return .credentials(file: path)
  }

  /// A JWT.
  ///
  /// - Parameters:
  ///   - claims: the object `nats`.
  ///   - subject: the public key of the one about whom it is.
  ///   - name: the public key of the issuer.
  package static func token(_ claims: String, about subject: String, by issuer: NKey, named name: String) throws
    -> String
  {
    let time = Int(Date.now.timeIntervalSince1970)
    let body = #"{"jti":"lab","iat":\#(time),"iss":"\#(name)","name":"lab","sub":"\#(subject)","nats":\#(claims)}"#
    let text = [#"{"typ":"JWT","alg":"ed25519-nkey"}"#, body].map { base64($0.utf8) }.joined(separator: ".")
    return text + "." + base64(try issuer.sign(Array(text.utf8)))
  }

  private static func base64(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The text of an operator's key: the same 32 bytes as in that of an account's, after the prefix byte 0x70.
  package static func operatorText(of account: String) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let bits = account.flatMap { character -> [Int] in
      let value = digits.firstIndex(of: character) ?? 0
      return (0..<5).map { value >> (4 - $0) & 1 }
    }
    func number(_ bits: some Sequence<Int>) -> Int { bits.reduce(0) { $0 << 1 | $1 } }
    let content = [0x70] + (1..<33).map { number(bits[($0 * 8)..<($0 * 8 + 8)]) }
    var checksum = 0
    for byte in content {
      checksum ^= byte << 8
      for _ in 0..<8 { checksum = (checksum << 1 ^ (checksum & 0x8000 == 0 ? 0 : 0x1021)) & 0xFFFF }
    }
    let all = (content + [checksum & 0xFF, checksum >> 8]).flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    return String(stride(from: 0, to: all.count, by: 5).map { digits[number(all[$0..<($0 + 5)])] })
  }
}
