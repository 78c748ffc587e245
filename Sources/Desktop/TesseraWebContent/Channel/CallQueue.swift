import CTesseraWebKitGTK

/// The calls that a page has not asked for yet. A page that hangs asks for none, so there are only so many: beyond that,
/// calls without a substitute are dropped, the oldest first; if that is not enough, the oldest of the others become their
/// substitutes, and at last these are dropped, too.
package struct CallQueue {
  private struct Call {
    var text: String
    var substitute: (() -> String?)?
    /// Whether it was replaced already.
    var isSubstitute = false
  }

  private let mostCalls: Int
  private let mostBytes: Int
  private var calls: [Call] = []
  private var bytes = 0
  /// How many were dropped or replaced since the page asked last.
  private var dropped = 0

  /// - Parameters:
  ///   - mostCalls: the number of calls. The newest one is kept in any case.
  ///   - mostBytes: their length in UTF-8.
  package init(mostCalls: Int = 1 << 13, mostBytes: Int = 64 << 20) {
    self.mostCalls = mostCalls
    self.mostBytes = mostBytes
  }

  package var isEmpty: Bool { calls.isEmpty }

  /// - Parameters:
  ///   - text: of `ChannelScripts.call`.
  ///   - substitute: makes a short text that takes its place when there are too many.
  package mutating func add(_ text: String, substitute: (() -> String?)? = nil) {
    calls.append(Call(text: text, substitute: substitute))
    bytes += text.utf8.count
    if calls.count > mostCalls || bytes > mostBytes { shorten() }
  }

  /// Empties the queue.
  ///
  /// - Parameter notice: makes a call that tells how many are missing; it is the first one.
  package mutating func takeAll(_ notice: (Int) -> String?) -> [String] {
    defer { (calls, bytes, dropped) = ([], 0, 0) }
    return (dropped > 0 ? [notice(dropped)].compactMap(\.self) : []) + calls.map(\.text)
  }

  /// Makes room for a quarter, so that not every further call is work.
  private mutating func shorten() {
    let newest = calls.removeLast()
    bytes -= newest.text.utf8.count
    var count = calls.count
    func isTooMuch() -> Bool { count > mostCalls / 4 * 3 || bytes > mostBytes / 4 * 3 }
    var kept: [Call] = []
    for call in calls {
      if isTooMuch(), call.substitute == nil, !call.isSubstitute {
        count -= 1
        bytes -= call.text.utf8.count
        dropped += 1
      } else {
        kept.append(call)
      }
    }
    for index in kept.indices where bytes > mostBytes / 4 * 3 {
      guard let text = kept[index].substitute?() else { continue }
      bytes += text.utf8.count - kept[index].text.utf8.count
      kept[index] = Call(text: text, isSubstitute: true)
      dropped += 1
    }
    // Nobody waits for so many answers.
    var excess = max(0, kept.count - mostCalls / 4 * 3)
    bytes -= kept.prefix(excess).reduce(0) { $0 + $1.text.utf8.count }
    // A hostile page chooses the identifiers that substitutes repeat.
    while bytes > mostBytes / 4 * 3, excess < kept.count {
      bytes -= kept[excess].text.utf8.count
      excess += 1
    }
    dropped += kept.prefix(excess).count { !$0.isSubstitute }
    calls = kept.dropFirst(excess) + [newest]
    bytes += newest.text.utf8.count
  }
}

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
