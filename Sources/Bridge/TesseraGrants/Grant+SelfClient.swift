public import TesseraBridge

extension Grant {
  /// The permissions that the published web client of the Self SDK needs, in all its versions.
  public static func selfClient(_ origin: WebOrigin) -> Grant {
    let whole: [BridgeDomain] = [.analytics, .biometrics, .lifecycle]
    let methods: [(BridgeDomain, [String])] = [
      (.camera, ["scanMRZ"]), (.crypto, ["generateKey", "getPublicKey", "sign"]),
      (.documents, ["loadCatalog", "saveCatalog", "loadById", "save", "delete"]), (.haptic, ["trigger"]),
      (.nfc, ["scan"]), (.secureStorage, ["get", "set", "remove"]),
    ]
    return Grant(
      .web(origin: origin.canonical),
      Set(whole.map { Permission($0) } + methods.flatMap { domain, names in names.map { Permission(domain, $0) } }))
  }

  /// The text form without spaces.
  package var argument: String { description.replacing(" ", with: "") }
}
