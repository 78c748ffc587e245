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
    signals.on(gpointer(resource), "sent-request", self, OpaquePointer?.self, OpaquePointer?.self) {
      load, request, response in
      guard response != nil, let address = webkit_uri_request_get_uri(request) else { return }
      load.tell(.redirected(String(cString: address)))
    }
  }

  /// The address is known now, at the latest when the load ends.
  func start(_ address: String) {
    guard !hasStarted else { return }
    hasStarted = true
    tell(.started(address))
  }
}
