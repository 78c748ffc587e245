import CTesseraWebKitGTK

/// A page's request for the camera or the microphone. It is answered once; a request that is released without an answer
/// is refused.
@MainActor
public final class MediaRequest {
  private let pointer: OpaquePointer
  private var isAnswered = false
  public let wantsCamera: Bool
  public let wantsMicrophone: Bool

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    g_object_ref(gpointer(pointer))
    wantsCamera = webkit_user_media_permission_is_for_video_device(pointer) != 0
    wantsMicrophone = webkit_user_media_permission_is_for_audio_device(pointer) != 0
  }

  isolated deinit {
    answer(isAllowed: false)
    g_object_unref(gpointer(pointer))
  }

  public func answer(isAllowed: Bool) {
    guard !isAnswered else { return }
    isAnswered = true
    if isAllowed { webkit_permission_request_allow(pointer) } else { webkit_permission_request_deny(pointer) }
  }

  /// Whether the request is for camera and microphone only, and not for the screen.
  static func isMedia(_ request: OpaquePointer) -> Bool {
    let instance = UnsafeMutableRawPointer(request).assumingMemoryBound(to: GTypeInstance.self)
    guard g_type_check_instance_is_a(instance, webkit_user_media_permission_request_get_type()) != 0 else {
      return false
    }
    return webkit_user_media_permission_is_for_display_device(request) == 0
  }
}
