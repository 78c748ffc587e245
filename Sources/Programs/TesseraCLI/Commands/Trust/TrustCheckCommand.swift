import ArgumentParser
import Tessera
import TesseraCommandLine

struct TrustCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Shows what a certificate or a revocation list leads to, and why not.",
    discussion: """
      Exit status: 0 everything in the file leads to a trusted certificate, 5 something does not, or is revoked.

      Example:
        tessera trust check document-signer.cer
      """)

  @Argument(
    help: ArgumentHelp("A certificate or a revocation list, DER or PEM.", valueName: "file"), completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp("Use this file or folder instead of what is imported. Repeatable.", valueName: "path"),
    completion: .file())
  var trust: [String] = []

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let content = try TrustFileContent(try await TrustFiles.read(file), name: TrustFiles.name(file))
    let material = try await TrustFiles.material(trust) ?? TrustStore().load()
    let entries =
      content.certificates.map { ($0.subject, CertificateAssessment($0, trust: material)) }
      + content.revocationLists.map { ($0.issuer, CertificateAssessment($0, trust: material)) }
    guard !entries.isEmpty else {
      guard content.hasLists else { throw TrustError.nothingUsable(name: content.name) }
      throw Failure(
        .usage, "\(content.name) is a list of certificates, which a country signed as a whole.",
        remedy: "Run `tessera trust import` to verify it; nothing is stored if it is refused.")
    }
    let isTrusted = entries.allSatisfy(\.1.isTrusted)
    if json {
      let objects = entries.map { subject, assessment -> JSONValue in
        [
          "subject": .string(subject), "trusted": .bool(assessment.isTrusted), "detail": .string(assessment.detail),
          "path": .array(assessment.path.map { .string($0.certificate.subject) }),
        ]
      }
      try StandardOutput.write((["entries": .array(objects)] as JSONValue).text)
    } else {
      for (subject, assessment) in entries {
        let mark = assessment.isTrusted ? Terminal.styled("ok", .green) : Terminal.styled("!!", .red)
        try StandardOutput.write(
          "\(mark)  \(Terminal.printable(subject))\n    \(Terminal.printable(assessment.detail))")
        for signer in assessment.path {
          try StandardOutput.write(
            "    ↑ \(Terminal.printable(signer.certificate.subject)), serial number \(signer.certificate.serialNumber)")
        }
      }
    }
    if !isTrusted { throw ExitCode(FailureKind.checkFailed.exitStatus) }
  }
}
