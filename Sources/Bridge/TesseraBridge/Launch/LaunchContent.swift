public import TesseraCore

/// What a launch shows.
public enum LaunchContent: Sendable {
  /// Content that is part of the program. It has the rights of the program.
  case bundled(BundledContent)
  /// The page at an https address; in a debug launch, also at an http address of this machine.
  case address(String, isDebug: Bool = false)
  /// The web content of the wallet, at the addresses of a configuration.
  case wallet(SelfSdkConfig)

  /// - Parameters:
  ///   - request: what is to be verified.
  ///   - referenceId: the identifier of the launch.
  /// - Returns: the address of the start page, with the request as its query where the content reads it there.
  /// - Throws: `Failure` of the kind `usage` for an address that must not be shown.
  public func startAddress(
    _ request: VerificationRequest?, referenceId: String? = nil
  ) throws(Failure) -> String {
    switch self {
    case .bundled(let content): return content.address()
    case .address(let address, let isDebug):
      guard let origin = WebOrigin(url: address), origin.scheme == .https || (isDebug && origin.isLoopback) else {
        throw Failure(
          .usage, "The address of the page is not an https address.",
          remedy: isDebug
            ? "Use an https address, or an http address of this machine such as http://127.0.0.1:5173."
            : "Use an https address; --debug also allows http addresses of this machine.")
      }
      return address
    case .wallet(let config):
      return try ContentPolicy(config).startURL(
        query: LaunchQuery.text(config, request ?? VerificationRequest(), referenceId: referenceId))
    }
  }
}
