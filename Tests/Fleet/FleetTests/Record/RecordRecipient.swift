import Foundation
import TesseraCryptography
import TestSupport
import Testing

/// A new recipient of encrypted fields, made by the program `openssl`, which also decrypts.
struct RecordRecipient {
  let folder: TemporaryFolder
  var certificateFile: String { folder.file("recipient.pem") }
  private var keyFile: String { folder.file("recipient.key") }

  init(key: [String] = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]) async throws {
    folder = try TemporaryFolder()
    let run = try await Self.openssl(
      ["req", "-x509"] + key + [
        "-nodes", "-days", "2", "-subj", "/CN=auditor", "-keyout", keyFile, "-out", certificateFile,
      ])
    try #require(run.status == 0, "\(run.errors)")
  }

  var recipients: [EnvelopeRecipient] {
    get throws { try EnvelopeRecipient.recipients(pem: SecretBytes(folder.bytes("recipient.pem"))) }
  }

  /// The content of an envelope in DER.
  func decrypt(_ envelope: [UInt8]) async throws -> [UInt8] {
    try Data(envelope).write(to: URL(fileURLWithPath: folder.file("envelope.der")))
    let run = try await Self.openssl([
      "cms", "-decrypt", "-inform", "DER", "-in", folder.file("envelope.der"), "-inkey", keyFile, "-recip",
      certificateFile, "-out", folder.file("content"),
    ])
    try #require(run.status == 0, "\(run.errors)")
    return folder.bytes("content")
  }

  private static func openssl(_ arguments: [String]) async throws -> ProgramRun {
    try await RunningProgram(URL(fileURLWithPath: "/usr/bin/openssl"), arguments).finish()
  }
}
