same();
