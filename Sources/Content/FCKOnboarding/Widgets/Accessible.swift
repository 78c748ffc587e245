import CTesseraWebKitGTK
import TesseraWebContent

/// What assistive technology is told of a widget.
@MainActor
enum Accessible {
  static func setLabel(_ text: String?, _ widget: UnsafeMutablePointer<GtkWidget>) {
    set(GTK_ACCESSIBLE_PROPERTY_LABEL, text, widget)
  }

  static func setDescription(_ text: String?, _ widget: UnsafeMutablePointer<GtkWidget>) {
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, widget)
  }

  static func setRequired(_ isRequired: Bool, _ widget: UnsafeMutablePointer<GtkWidget>) {
    var property = GTK_ACCESSIBLE_PROPERTY_REQUIRED
    var value = GValue()
    gtk_accessible_property_init_value(property, &value)
    defer { g_value_unset(&value) }
    g_value_set_boolean(&value, isRequired.gboolean)
    gtk_accessible_update_property_value(OpaquePointer(widget), 1, &property, &value)
  }

  static func setInvalid(_ isInvalid: Bool, _ widget: UnsafeMutablePointer<GtkWidget>) {
    var state = GTK_ACCESSIBLE_STATE_INVALID
    var value = GValue()
    // G_TYPE_INT, which GTK 4.8 reads, not the enumeration that `gtk_accessible_state_init_value` would make.
    g_value_init(&value, GType(6 << 2))
    defer { g_value_unset(&value) }
    let invalid = isInvalid ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE
    g_value_set_int(&value, gint(bitPattern: invalid.rawValue))
    gtk_accessible_update_state_value(OpaquePointer(widget), 1, &state, &value)
  }

  /// Called before the widget is in a window.
  static func setRole(_ role: GtkAccessibleRole, _ widget: UnsafeMutablePointer<GtkWidget>) {
    var value = GValue()
    g_value_init(&value, gtk_accessible_role_get_type())
    defer { g_value_unset(&value) }
    g_value_set_enum(&value, gint(bitPattern: role.rawValue))
    g_object_set_property(object(widget), "accessible-role", &value)
  }

  private static func set(
    _ property: GtkAccessibleProperty, _ text: String?, _ widget: UnsafeMutablePointer<GtkWidget>
  ) {
    guard let text else { return gtk_accessible_reset_property(OpaquePointer(widget), property) }
    var property = property
    var value = GValue()
    gtk_accessible_property_init_value(property, &value)
    defer { g_value_unset(&value) }
    g_value_set_string(&value, text)
    gtk_accessible_update_property_value(OpaquePointer(widget), 1, &property, &value)
  }
}
