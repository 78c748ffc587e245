import TesseraCryptography

/// Who signed a revocation list.
extension TrustMaterial {
  /// The country signer of the list's country that signed it; nil if its key is not known. A list of another country
  /// could hide a revocation.
  func issuer(of list: RevocationList) -> CountrySigner? {
    guard let country = list.country else { return nil }
    func signer(among signers: [CountrySigner]) -> CountrySigner? {
      signers.first { signer in
        signer.certificate.country == country && signer.certificate.permits(.revocationListSigning) ?? true
          && (try? list.isSigned(by: keys.key(of: signer.certificate))) == true
      }
    }
    let stated = candidates(keyIdentifier: list.authorityKeyIdentifier, name: list.issuerName)
    // A list of version 1 names no key, its country may have changed the name, and a stated key may be wrong.
    return signer(among: stated) ?? signer(among: countrySigners.filter { !stated.contains($0) })
  }

  /// Whether a country signer of the list's country signed it; nil if its key is not known.
  func isSigned(_ list: RevocationList) -> Bool? {
    if issuer(of: list) != nil { return true }
    let stated = candidates(keyIdentifier: list.authorityKeyIdentifier, name: list.issuerName).map(\.certificate)
    return stated.contains { list.statesKey(of: $0) && $0.country == list.country } ? false : nil
  }

  /// Why a list cannot be verified whose issuer may be known; nil for nothing.
  func obstacle(of list: RevocationList) -> String? {
    guard let country = list.country else { return nil }
    for signer in candidates(keyIdentifier: list.authorityKeyIdentifier, name: list.issuerName)
    where signer.certificate.country == country {
      do {
        guard try list.isSigned(by: keys.key(of: signer.certificate)) else { continue }
        return "The key of its issuer may not sign revocation lists."
      } catch CryptographyError.keyMismatch {
        continue
      } catch {
        let reason = (error as? CryptographyError)?.failure.cause ?? SignerClassification.Refusal.malformed.sentence
        return SignerClassification.Refusal.signatureUnsupported(reason).sentence
      }
    }
    return nil
  }
}
