import Foundation
import TesseraCryptography
import TesseraPassport
import TestSupport
import Testing

@testable import TesseraVirtualChip

/// The certificates, revocation lists and files of a specimen in a folder, for the `openssl` program.
///
/// `anchor.pem` is the last certificate that the country publishes, which is self-signed. `published.pem` has all of
/// them. `issuer.pem` is the authority of the document signer.
struct IssuedFolder {
  let document: SpecimenDocument
  private let shell: KeyShell

  init(_ profile: ChipProfile) throws {
    try self.init(SpecimenDocument(profile: profile))
  }

  init(_ document: SpecimenDocument) throws {
    self.document = document
    shell = try KeyShell()
    let country = document.country
    try write(#require(country.countrySigners.last), "anchor")
    try write(document.countrySigner, "issuer")
    try write(#require(country.documentSigners.first), "signer")
    let published = country.countrySigners.map { $0.pem() + "\n" }.joined()
    try write(Array(published.utf8), "published.pem")
    for list in country.revocationLists { try write(list, "crl.der") }
    for file in document.files.all { try write(document.files[file] ?? [], file.name) }
    if let signed = document.files.masterFiles[.cardSecurity] { try write(signed, "EF.CardSecurity") }
    // EF.SOD without its tag and length.
    let file = try #require(document.files[.sod])
    try write(Array(file.dropFirst(file.count < 260 ? 3 : 4)), "sod.der")
  }

  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: shell.folder.url.appendingPathComponent(name))
  }

  func write(_ certificate: Certificate, _ name: String) throws {
    try write(certificate.der, name + ".der")
    try write(Array((certificate.pem() + "\n").utf8), name + ".pem")
  }

  func bytes(_ name: String) -> [UInt8] { shell.folder.bytes(name) }

  /// The standard output and standard error of a shell script. It must end with `status`.
  func run(_ script: String, status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation) async throws
    -> String
  {
    let run = try await shell.run(script)
    let text = run.output + run.errors
    #expect(run.status == status, "\(script): \(text)", sourceLocation: sourceLocation)
    return text
  }

  /// The text form of a certificate without spaces at the start of lines.
  func text(_ name: String) async throws -> [String] {
    try await run("openssl x509 -noout -text -in \(name).pem").split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
