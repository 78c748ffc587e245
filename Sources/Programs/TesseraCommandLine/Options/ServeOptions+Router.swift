package import Tessera
internal import TesseraDurableFiles
package import TesseraGrants

extension ServeOptions {
  /// The bridge to the devices that the options name.
  ///
  /// - Parameters:
  ///   - inspection: reads and judges the documents; nil for this machine.
  ///   - watch: receives the devices.
  package func router(inspection: (any DocumentInspection)? = nil, watch: ServiceWatch) throws -> MessageRouter {
    let virtual = try card.virtualDocument()
    let cards = try card.source(virtual?.files, standardWait: LinuxProviders.scanTimeout)
    let registry = watch.registry
    let router = MessageRouter.withSystemProviders(
      registry: registry, cards: cards, trust: TrustOptions.scans(virtual?.country),
      keys: try store.keys(asking: TerminalSecrets(requiresForeground: true)),
      biometrics: FprintdBiometricProvider(fallback: password.fallback),
      analytics: try analytics ? Self.analyticsFile() : nil)
    if let inspection {
      registry.register { $0.nfc = PassportNfcProvider(source: cards, inspection: inspection) }
    }
    watch.observe(registry)
    return router
  }

  /// Says so if grants of web pages are given to a service that no page can reach.
  ///
  /// - Parameters:
  ///   - grants: those of the options; the grants file is for other programs, too.
  ///   - webAddress: the address for web pages; nil for none.
  package static func noteUselessGrants(_ grants: [String], webAddress: String?) {
    guard webAddress == nil, grants.contains(where: { (try? Grant($0)).map { $0.name != "local" } ?? false }) else {
      return
    }
    Note.write("Grants of web pages have no effect without --websocket or --page.")
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
  ///   - grants: those of the file and the options.
  ///   - page: the address of the service's page.
  ///   - script: the address of the script for other pages.
  package static func showReady(
    _ addresses: [String], page: String?, script: String?, grants: [Grant]
  ) throws {
    try StandardOutput.write("ready \(addresses.joined(separator: " "))")
    if let page {
      Note.writeLine("The page that reads a document: \(page)")
    } else if let script {
      Note.writeLine(
        """
        A page loads the client or the bridge alone with one of these lines:
          import {nfc} from "\(script.replacing("/bridge.js", with: "/tessera.js"))";
          <script src="\(script)" crossorigin></script>
        Its origin needs a grant, which applies at once:
          tessera grants add http://localhost:8000=nfc.scan
        The Self client at \(ContentPolicy.debugOrigin.canonical) needs:
          tessera grants add \(Grant.selfClient(ContentPolicy.debugOrigin).argument)
        """)
    }
    guard script != nil else { return }
    let lines = grants.filter { $0.name != "local" }.map { "\n  \($0)" }.joined()
    Note.writeLine(lines.isEmpty ? "No other page has a grant yet." : "The grants of pages (! denies):\(lines)")
  }
}
