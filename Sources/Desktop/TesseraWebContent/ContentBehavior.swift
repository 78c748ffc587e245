/// What a view does when content asks for more than its own page: one decision for each.
///
/// | Content asks for | The view | To change it |
/// | --- | --- | --- |
/// | another address | follows `ContentRules`, in every frame; anything else is refused | the rules |
/// | an `about:`, `data:` or `blob:` address | shows it, without rights | – |
/// | `window.open`, a link to a new window | opens nothing; `window.open` returns `null` | – |
/// | a download | refuses it | `savesFiles`: the user chooses the place |
/// | a file of the user (`<input type=file>`) | refuses it | `opensFiles`: the user chooses the file |
/// | camera, microphone | asks the user if the rules allow it | the rules |
/// | location, notifications, pointer lock, clipboard, device lists, protected media, foreign cookies | refuses them | – |
/// | printing | refuses it | `prints`: the print dialog |
/// | sound and films without a gesture of the user | refuses them | `playsWithoutGesture`: films without sound |
/// | the whole screen | refuses it | – |
/// | a password for a server (HTTP authentication) | refuses it | – |
/// | a context menu | shows none | `isInspectable` |
/// | the developer tools | has none | `isInspectable` |
/// | something dropped on it | refuses it | – |
/// | zoom by the user (Ctrl and +, −, 0) | from 50 % to 300 % | `zooms` |
/// | a certificate that is not valid | always ends the load | – |
/// | `alert`, `confirm`, `prompt` | shows them inside the view | – |
/// | to stay open (`beforeunload`) | closes nevertheless | – |
public struct ContentBehavior: Sendable, Equatable {
  /// Whether a download of an allowed document opens a dialog in which the user chooses the place.
  public var savesFiles = false
  /// Whether a page may ask the user for a file.
  public var opensFiles = false
  /// Whether a page may open the print dialog.
  public var prints = false
  /// Whether a film without sound may start without a gesture of the user.
  public var playsWithoutGesture = false
  /// Whether the view has the context menu and the developer tools.
  public var isInspectable = false
  /// Whether the user may change the size of the page.
  public var zooms = true
  /// Whether the page is shown that a server sends with an error status. Otherwise the load fails.
  package var showsErrorPages = false

  public init() {}
}

/// Which addresses a view shows, and which of them have rights. The addresses are those that WebKit reports.
public protocol ContentRules: Sendable {
  /// Whether the view may show the address, in its top frame or in another frame.
  func mayNavigate(to address: String) -> Bool
  /// Whether a document from the address may use the view's channels. Its frames may not. (A frame of the
  /// same origin can still call the objects of the page that contains it, as in every browser.)
  func mayUseChannels(_ address: String) -> Bool
  /// Whether the user is asked when a document from the address wants the camera or the microphone. Otherwise it is
  /// refused.
  func mayAskForCameraAndMicrophone(_ address: String) -> Bool
}
