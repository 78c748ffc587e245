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
