import CTesseraWebKitGTK

/// A page's question for the program's next calls. It is answered once, with at least one call; a question that is released
/// without an answer has none.
@MainActor
final class CallRequest {
  private let reply: OpaquePointer
  private let context: OpaquePointer

  /// - Parameters:
  ///   - reply: WebKit's `WebKitScriptMessageReply`.
  ///   - context: for the values of the answer.
  init(_ reply: OpaquePointer, context: OpaquePointer) {
    self.reply = webkit_script_message_reply_ref(reply)
    self.context = context
    g_object_ref(gpointer(context))
  }

  isolated deinit {
    webkit_script_message_reply_unref(reply)
    g_object_unref(gpointer(context))
  }

  /// - Parameter calls: texts of `ChannelScripts.call`.
  func answer(_ calls: [String]) {
    // WebKit takes much longer to copy an array.
    let values = calls.map(text)
    let answer = values.count == 1 ? values[0] : array(values)
    webkit_script_message_reply_return_value(reply, answer)
    g_object_unref(gpointer(answer))
  }

  /// - Returns: a value that the caller releases.
  private func text(_ text: String) -> OpaquePointer {
    var text = text
    // With its length: the text may contain U+0000.
    let bytes = text.withUTF8 { g_bytes_new($0.baseAddress, gsize($0.count)) }
    defer { g_bytes_unref(bytes) }
    return jsc_value_new_string_from_bytes(context, bytes)
  }

  /// - Parameter values: are released with the array.
  private func array(_ values: [OpaquePointer]) -> OpaquePointer {
    let array = g_ptr_array_new_with_free_func { g_object_unref($0) }
    defer { g_ptr_array_unref(array) }
    for value in values { g_ptr_array_add(array, gpointer(value)) }
    return jsc_value_new_array_from_garray(context, array)
  }
}
