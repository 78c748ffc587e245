/// Names of the protocol (Secret Service API 0.2, part II).
enum Names {
  static let service = "org.freedesktop.secrets"
  static let path = "/org/freedesktop/secrets"
  static let serviceInterface = "org.freedesktop.Secret.Service"
  static let collectionInterface = "org.freedesktop.Secret.Collection"
  static let itemInterface = "org.freedesktop.Secret.Item"
  static let promptInterface = "org.freedesktop.Secret.Prompt"
  static let propertiesInterface = "org.freedesktop.DBus.Properties"

  /// The path that means "none".
  static let none = "/"
}
