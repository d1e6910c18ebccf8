template
repeated
