extension TrustMaterial {
  /// The newest list of each country, with the first certificate that came from it, by the country of the list's signer.
  package var newestLists: [String: (signer: CountrySigner, source: CertificateSource)] {
    var newest: [String: (signer: CountrySigner, source: CertificateSource)] = [:]
    for signer in countrySigners {
      for source in signer.sources {
        guard let country = source.signerCountry, let signedAt = source.signedAt else { continue }
        if let known = newest[country]?.source.signedAt, known >= signedAt { continue }
        newest[country] = (signer, source)
      }
    }
    return newest
  }

  /// What tells whether other material is older than this or `other`: one certificate of the newest list of each country,
  /// the newest revocation list of each issuer and the newest deviation list of each country, each with one source.
  ///
  /// It verifies no document.
  package func newest(with other: TrustMaterial) -> TrustMaterial {
    var result = TrustMaterial()
    let lists = newestLists.merging(other.newestLists) { one, another in
      guard let time = one.source.signedAt, let otherTime = another.source.signedAt else { return one }
      return time < otherTime ? another : one
    }
    for list in lists.sorted(by: { $0.key < $1.key }).map(\.value) {
      var signer = list.signer
      signer.sources = [list.source]
      result.insert(signer)
    }
    for var entry in revocationLists + other.revocationLists
    where !result.revocationLists.contains(where: { $0.list == entry.list }) {
      entry.sources = Array(entry.sources.prefix(1))
      result.insert(entry)
    }
    for var entry in deviationLists + other.deviationLists
    where !result.deviationLists.contains(where: { $0.list == entry.list }) {
      entry.sources = Array(entry.sources.prefix(1))
      result.insert(entry)
    }
    return result
  }
}
