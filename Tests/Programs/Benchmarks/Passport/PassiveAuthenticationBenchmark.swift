import Tessera

/// Passive Authentication of the measured document: parsing EF.SOD, comparing the digests of the data groups, verifying
/// the signature.
enum PassiveAuthenticationBenchmark {
  static func run(_ document: MeasuredDocument) throws -> [Measurement] {
    let groups = document.dataGroups
    return try [(OpenSSLPassive.Algorithm.ecdsa, 0.2), (.rsa, 0.1)].map { algorithm, goal in
      let alone = try OpenSSLPassive(algorithm, dataGroups: groups)
      let times = try ProcessorTime.medians(
        {
          let judged = PassiveAuthentication(try EFSOD(alone.securityObject), dataGroups: groups)
          guard judged.signatureProblem == nil, judged.coverage.values.allSatisfy({ $0 == .matches }) else {
            throw OpenSSLFailed()
          }
        }, floor: alone.run)
      return Measurement(
        "passive authentication, \(algorithm.rawValue)", times.ours, .milliseconds, floor: times.floor,
        of: "OpenSSL alone", goal: goal)
    }
  }
}
