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

/// A step of a view's way from page to page, with the address that it concerns.
package enum ContentNavigation: Sendable, Equatable {
  case started(String)
  /// The server sent the view to another address, which is this one.
  case redirected(String)
  case committed(String)
  /// The page and its parts are there.
  case finished(String)
  /// The page could not be loaded, or its process ended.
  case failed(String, ContentFailure)
  /// The program, or another navigation, ended the load.
  case cancelled(String)
  /// The address changed; also when a page changed it without another document.
  case addressChanged(String)
}

/// A page wants another view: by `window.open`, or by a link to a new window.
package struct ContentPopup: Sendable, Equatable {
  /// Empty for a view that the page fills itself.
  package let address: String
  package let isUserGesture: Bool

  package init(address: String, isUserGesture: Bool) {
    self.address = address
    self.isUserGesture = isUserGesture
  }
}

extension ContentPopup {
  /// What becomes of it.
  package enum Decision {
    /// `window.open` returns null.
    case refuse
    /// The view itself loads the address; `window.open` returns null.
    case loadHere
    /// This view shows it. It was made with `sharingProcessOf` the view of the page, which keeps no reference to it.
    case open(ContentView)
  }
}
