beside the profile
