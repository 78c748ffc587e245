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
