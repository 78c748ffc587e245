/// Which addresses a view shows, and which of them have rights. The addresses are those that WebKit reports.
public protocol ContentRules: Sendable {
  /// Whether the view may show the address, in its top frame or in another frame.
  func mayNavigate(to address: String) -> Bool
  /// Whether a document from the address may use the view's channels. Its frames may not. (A frame of the
  /// same origin can still call the objects of the page that contains it, as in every browser.)
  func mayUseChannels(_ address: String) -> Bool
  /// Whether the person is asked when a document from the address wants the camera or the microphone. Otherwise it is
  /// refused.
  func mayAskForCameraAndMicrophone(_ address: String) -> Bool
}
