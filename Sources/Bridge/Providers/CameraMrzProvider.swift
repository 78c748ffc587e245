/// Finds a machine readable zone in front of a camera.
public protocol CameraMrzProvider: Sendable {
  func isAvailable() async -> Bool
  /// Looks until a zone is found; cancelling the task ends that.
  ///
  /// - Parameter onProgress: index of the detection state, 0 `no_text` to 3 `mrz_detected`.
  /// - Returns: the JSON text of the zone's fields.
  func scanMrz(onProgress: @escaping @Sendable (Int) -> Void) async throws -> String
  func stopCamera() async
}
