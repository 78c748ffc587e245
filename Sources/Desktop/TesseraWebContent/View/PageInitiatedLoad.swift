import CTesseraWebKitGTK

/// A load that a page began itself. Until its document is committed, WebKit's address is that of the old one, so the way
/// is read from the requests for the main resource.
@MainActor
final class PageInitiatedLoad {
  private let tell: @MainActor (ContentNavigation) -> Void
  private let signals = Signals()
  private var resource: OpaquePointer?
  private var hasStarted = false

  init(_ tell: @escaping @MainActor (ContentNavigation) -> Void) { self.tell = tell }

  isolated deinit {
    signals.disconnectAll()
    if let resource { g_object_unref(gpointer(resource)) }
  }

  /// The request for the document begins.
  func begin(_ resource: OpaquePointer, _ address: String) {
    guard self.resource == nil else { return }
    g_object_ref(gpointer(resource))
    self.resource = resource
    start(address)
    signals.connect(
      gpointer(resource), "sent-request", to: self,
      { _, request, response, owner in
        guard response != nil, let address = webkit_uri_request_get_uri(request) else { return }
        let text = String(cString: address)
        MainActor.assumeIsolated { Signals.owner(owner, as: PageInitiatedLoad.self)?.tell(.redirected(text)) }
      } as @convention(c) (gpointer?, OpaquePointer?, OpaquePointer?, gpointer?) -> Void)
  }

  /// The address is known now, at the latest when the load ends.
  func start(_ address: String) {
    guard !hasStarted else { return }
    hasStarted = true
    tell(.started(address))
  }
}
