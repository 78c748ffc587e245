extension ServicePage {
  /// The page that reads and verifies a document, with the permissions that it needs.
  package static func verification(_ content: BundledContent) -> ServicePage {
    let methods: [(BridgeDomain, [String?])] = [
      (.camera, ["scanMRZ"]), (.crypto, ["generateKey", "getPublicKey", "sign"]), (.haptic, ["trigger"]),
      (.lifecycle, [nil]), (.nfc, ["scanReport"]),
    ]
    return ServicePage(
      content, permissions: Set(methods.flatMap { domain, names in names.map { Grant.Permission(domain, $0) } }))
  }
}
