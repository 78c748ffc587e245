"""The devices of the lab by their names in its table."""

import pads
import usb_pads

ALL = {
    "dualsense": pads.DualSense,
    "dualshock4": pads.DualShock4,
    "dualshock3": pads.DualShock3,
    "switchpro": pads.SwitchPro,
    "joyconleft": pads.JoyConLeft,
    "joyconright": pads.JoyConRight,
    "xboxbluetooth": pads.XboxBluetooth,
    "wiiremote": pads.WiiRemote,
    "xbox360": usb_pads.Xbox360,
    "dragonrise": usb_pads.DragonRise,
    "pantherlord": usb_pads.Pantherlord,
    "wheel": usb_pads.Wheel,
}
