import TesseraCryptography

/// The decoded content of a file, and the result so far.
struct OpenedFile {
  let content: TrustFileContent
  var summary: TrustImportSummary
  var masterLists: [MasterList] = []
  var countrySigners: [Certificate] = []
  var documentSigners: [Certificate] = []
  var revocationLists: [RevocationList] = []
  var deviationLists: [[UInt8]] = []

  init(_ content: TrustFileContent) {
    self.content = content
    summary = TrustImportSummary(source: content.name)
    for object in content.objects {
      do {
        switch object {
        case .masterList(let bytes): masterLists.append(try MasterList(bytes))
        case .certificate(let bytes):
          let certificate = try Certificate(der: bytes)
          if certificate.isCountrySigner {
            countrySigners.append(certificate)
          } else {
            documentSigners.append(certificate)
          }
        case .revocationList(let bytes): revocationLists.append(try RevocationList(der: bytes))
        case .deviationList(let bytes): deviationLists.append(bytes)
        case .deletion(let line): summary.refuse("line \(line)", "It deletes an entry, and an import removes nothing.")
        case .archive(let name):
          summary.refuse(name, "It is an archive in the archive. Extract it, and import it as a file of its own.")
        case .unreadable(let line): summary.refuse("line \(line)", SignerClassification.Refusal.malformed.sentence)
        }
      } catch let error as TrustError {
        summary.note(error, of: "a list")
      } catch  where object.isCertificate {
        summary.certificates += 1
        summary.refuseSigner(
          "a certificate",
          (error as? CryptographyError)?.failure.cause ?? SignerClassification.Refusal.malformed.sentence)
      } catch {
        var subject = "an entry"
        if case .revocationList(let bytes) = object {
          subject = RevocationList.issuer(of: bytes) ?? "a revocation list"
        }
        summary.refuse(subject, Self.reason(error))
      }
    }
  }

  private static func reason(_ error: any Error) -> String {
    switch error as? CryptographyError {
    case .unsupported(let what)?: "It is \(what), which is not supported."
    case let error?: error.failure.cause
    case nil: "It is malformed."
    }
  }
}
