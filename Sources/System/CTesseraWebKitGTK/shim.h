#pragma once

#include <glib-unix.h>
#include <gtk/gtk.h>
#include <stdint.h>
#include <webkit/webkit.h>

// libdispatch's interface for event loops that serve its main queue; CoreFoundation's run loop uses it. Not in a header.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);
