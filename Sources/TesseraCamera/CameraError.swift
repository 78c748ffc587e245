/// The reason why a camera does not deliver pictures.
public enum CameraError: Error, Sendable, Equatable {
  /// The node does not exist.
  case missing(path: String)
}
