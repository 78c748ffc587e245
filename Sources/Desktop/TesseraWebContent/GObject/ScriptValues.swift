import CTesseraWebKitGTK

/// A script that runs and whose value is awaited.
@MainActor
enum Evaluation {
  private final class Waiting {
    let continuation: CheckedContinuation<String?, any Error>
    init(_ continuation: CheckedContinuation<String?, any Error>) { self.continuation = continuation }
  }

  static func run(
    _ script: String, world: String?, in view: UnsafeMutablePointer<WebKitWebView>
  ) async throws -> String? {
    try await withCheckedThrowingContinuation { continuation in
      webkit_web_view_evaluate_javascript(
        view, script, -1, world, nil, nil,
        { source, result, waiting in
          guard let waiting, let source else { return }
          let continuation = Unmanaged<Waiting>.fromOpaque(waiting).takeRetainedValue().continuation
          var error: UnsafeMutablePointer<GError>?
          guard let value = webkit_web_view_evaluate_javascript_finish(object(source), result, &error) else {
            let message = error.map { String(cString: $0.pointee.message) } ?? "The script did not run."
            g_clear_error(&error)
            continuation.resume(throwing: ContentFailure.loadFailed(reason: message))
            return
          }
          defer { g_object_unref(gpointer(value)) }
          continuation.resume(returning: takenText(jsc_value_to_json(value, 0)))
        }, Unmanaged.passRetained(Waiting(continuation)).toOpaque())
    }
  }
}

/// The properties of an object that are set when it is made.
struct GObjectProperties {
  enum Value {
    case object(gpointer)
    case bool(Bool)
    case enumeration(GType, UInt32)
  }
  private let properties: [(name: String, value: Value)]

  init(_ properties: [(String, Value)]) { self.properties = properties.map { (name: $0.0, value: $0.1) } }

  func make(_ type: GType) -> gpointer {
    var values = properties.map { property -> GValue in
      var value = GValue()
      switch property.value {
      case .object(let pointer):
        g_value_init(&value, pointer.assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee.g_type)
        g_value_set_object(&value, pointer)
      case .bool(let flag):
        g_value_init(&value, GType(5 << 2))
        g_value_set_boolean(&value, flag.gboolean)
      case .enumeration(let type, let number):
        g_value_init(&value, type)
        g_value_set_enum(&value, gint(bitPattern: number))
      }
      return value
    }
    defer { for index in values.indices { g_value_unset(&values[index]) } }
    var names = properties.map { UnsafePointer<CChar>?(g_strdup($0.name)) }
    defer { for name in names { g_free(UnsafeMutableRawPointer(mutating: name)) } }
    return gpointer(g_object_new_with_properties(type, UInt32(values.count), &names, &values))
  }
}
