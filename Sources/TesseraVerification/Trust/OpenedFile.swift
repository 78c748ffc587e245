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
        summary.refuse("an entry", (error as? CryptographyError)?.failure.cause ?? "It is malformed.")
      }
    }
  }
}
