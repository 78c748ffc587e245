/// A page wants another view: by `window.open`, or by a link to a new window.
package struct ContentPopup: Sendable, Equatable {
  /// Empty for a view that the page fills itself.
  package let address: String
  package let isGestureOfPerson: Bool

  package init(address: String, isGestureOfPerson: Bool) {
    self.address = address
    self.isGestureOfPerson = isGestureOfPerson
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
