package import Tessera
internal import TesseraDurableFiles
internal import TesseraGrants

extension ServeOptions {
  /// The bridge to the devices that the options name.
  ///
  /// - Parameter inspection: reads and judges the documents; nil for this machine.
  package func router(inspection: (any DocumentInspection)? = nil) throws -> MessageRouter {
    let virtual = try card.virtualDocument()
    let cards = try card.source(virtual?.files, standardWait: LinuxProviders.scanTimeout)
    let registry = SdkProviderRegistry()
    let router = MessageRouter.withSystemProviders(
      registry: registry, cards: cards, trust: TrustOptions.scans(virtual?.country),
      keys: try store.keys(asking: TerminalSecrets(requiresForeground: true)),
      biometrics: FprintdBiometricProvider(fallback: password.fallback),
      analytics: try analytics ? Self.analyticsFile() : nil)
    if let inspection {
      registry.register { $0.nfc = PassportNfcProvider(source: cards, inspection: inspection) }
    }
    return router
  }

  private static func analyticsFile() throws -> AnalyticsFile {
    let folder = PrivateFolder(path: UserFolders.data)
    try folder.make()
    return AnalyticsFile(path: folder.path + "/analytics.jsonl")
  }

  /// Prints the line `ready` with the addresses, and what concerns the authors of pages to standard error.
  ///
  /// - Parameters:
  ///   - addresses: the socket and the address of the WebSocket.
  ///   - page: the address of the service's page.
  ///   - script: the address of the script for other pages.
  package static func showReady(_ addresses: [String], page: String?, script: String?) throws {
    try StandardOutput.write("ready \(addresses.joined(separator: " "))")
    if let page {
      Note.writeLine("The page that reads a document: \(page)")
    } else if let script {
      Note.writeLine(
        """
        A page loads the bridge with the line
          <script src="\(script)" crossorigin></script>
        and needs a grant for its origin. For the Self client at \(ContentPolicy.debugOrigin.canonical), start the \
        service with (for your own page, replace the origin):
          --grant \(Grant.selfClient(ContentPolicy.debugOrigin).argument)
        """)
    }
  }
}
